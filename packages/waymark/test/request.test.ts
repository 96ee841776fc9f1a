import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attribute, content, GET, HttpError, HttpRequest, ok, router, text } from "waymark";
import { HeaderList } from "waymark/fields";
import { matchedRequest } from "../src/request.ts";
import { asked } from "./tools/ask.ts";

describe("HttpRequest.of", () => {
  it("is a GET of / without anything else", async () => {
    const request = HttpRequest.of();
    const { method, path, search, headers, variables, negotiatedType, native } = request;
    assert.deepEqual([method, path, search, headers.flat], ["GET", "/", "", []]);
    assert.deepEqual(Object.keys(variables), []);
    assert.deepEqual([negotiatedType, native, request.signal.aborted], [undefined, undefined, false]);
    assert.equal(await request.text(), "");
  });

  it("takes header fields as an object or as a list", () => {
    const list = HeaderList.of({ "X-A": "1" });
    assert.equal(HttpRequest.of({ headers: list }).headers, list);
    assert.equal(HttpRequest.of({ headers: { "X-A": "1" } }).header("x-a"), "1");
  });

  it("takes content as text or bytes, and a signal", async () => {
    assert.equal(await HttpRequest.of({ body: "ü" }).text(), "ü");
    assert.equal(await HttpRequest.of({ body: new Uint8Array([0xc3, 0xbc]) }).text(), "ü");
    assert.equal(HttpRequest.of({ signal: AbortSignal.abort() }).signal.aborted, true);
  });

  it("keeps the method as it is", () => {
    for (const method of ["get", "PROPFIND", "x"]) assert.equal(HttpRequest.of({ method }).method, method);
  });

  const targets: readonly (readonly [target: string, path: string, search: string])[] = [
    ["/person?limit=2", "/person", "limit=2"],
    ["/caf%C3%A9/%70", "/café/p", ""],
    ["/a%2fb/50%25", "/a%2Fb/50%25", ""],
    ["//person//1/", "//person//1/", ""],
    ["/a?", "/a", ""],
    ["/a?b?c", "/a", "b?c"],
    ["http://example.com/a?b", "/a", "b"],
    ["http://example.com", "/", ""],
    ["*", "*", ""],
  ];
  for (const [target, path, search] of targets) {
    it(`reads ${target} as the path ${path} and the query ${JSON.stringify(search)}`, () => {
      const request = HttpRequest.of({ target });
      assert.deepEqual([request.path, request.search], [path, search]);
    });
  }

  for (const target of ["", "person", "/%", "/%zz", "/%C3%28", "/a/../b", "/%2e", "/a b", "/a#b", "/a\\b", "/%00"]) {
    it(`refuses the target ${JSON.stringify(target)} with a 400`, () => {
      assert.throws(
        () => HttpRequest.of({ target }),
        (error: unknown) => {
          assert.ok(error instanceof HttpError);
          assert.equal(error.response.status, 400);
          const { type, detail } = JSON.parse(String(error.response.body));
          assert.equal(type, "/problems/malformed-target");
          assert.equal(typeof detail, "string");
          return true;
        },
      );
    });
  }
});

describe("a changed request", () => {
  const user = attribute<string>("user");
  const original = (): HttpRequest<{ readonly id: string }> =>
    matchedRequest(
      HttpRequest.of({ method: "POST", target: "/a?b=c", headers: { "X-A": "1" }, body: "content" }),
      { id: "7" },
      "text/plain",
    );
  type Sample = ReturnType<typeof original>;
  const changes: Readonly<Record<string, (request: Sample) => Sample>> = {
    withHeader: (request) => request.withHeader("X-A", "2"),
    withoutHeader: (request) => request.withoutHeader("X-A"),
    withAttribute: (request) => request.withAttribute(user, "Ada"),
  };

  for (const [name, change] of Object.entries(changes)) {
    it(`has everything else after ${name}, its content too`, async () => {
      const request = original();
      const changed = change(request);
      const { method, path, search, variables, negotiatedType, native, signal } = changed;
      assert.deepEqual([method, path, search, negotiatedType], ["POST", "/a", "b=c", "text/plain"]);
      assert.deepEqual(variables, { id: "7" });
      assert.equal(changed.query.get("b"), "c");
      assert.equal(native, request.native);
      assert.equal(signal, request.signal);
      assert.equal(await changed.text(), "content");
      assert.equal(await request.text(), "content");
    });

    it(`is another one after ${name}, and the first is as it was`, () => {
      const request = original();
      assert.notEqual(change(request), request);
      assert.deepEqual(request.headers.flat, ["X-A", "1"]);
      assert.equal(request.attribute(user), undefined);
    });
  }

  it("has what it was given", () => {
    assert.equal(original().withHeader("x-a", "2").header("X-A"), "2");
    assert.equal(original().withHeader("X-B", "2").header("X-A"), "1");
    assert.equal(original().withoutHeader("X-A").header("X-A"), undefined);
  });

  it("refuses a header field that cannot be sent", () => {
    assert.throws(() => original().withHeader("X-A", "a\r\nb"), TypeError);
  });
});

describe("an attribute", () => {
  it("is the value kept under the same key, not the same name", () => {
    const [first, second] = [attribute<number>("n"), attribute<number>("n")];
    const request = HttpRequest.of().withAttribute(first, 1);
    assert.equal(request.attribute(first), 1);
    assert.equal(request.attribute(second), undefined);
    assert.equal(request.withAttribute(second, 2).attribute(first), 1);
    assert.equal(request.withAttribute(second, 2).attribute(second), 2);
  });

  it("is the latest of several, undefined included", () => {
    const key = attribute<number | undefined>("n");
    const request = HttpRequest.of().withAttribute(key, 1).withAttribute(key, 2);
    assert.equal(request.attribute(key), 2);
    assert.equal(request.withAttribute(key, undefined).attribute(key), undefined);
  });

  it("stays through a match and through changes of the header", () => {
    const key = attribute<string>("user");
    const request = matchedRequest(HttpRequest.of().withAttribute(key, "Ada"), { id: "1" }, undefined);
    assert.equal(request.withHeader("X-A", "1").attribute(key), "Ada");
  });
});

describe("the query", () => {
  const cases: readonly (readonly [search: string, name: string, values: readonly string[]])[] = [
    ["?a=1&b=2", "a", ["1"]],
    ["?a=1&a=2", "a", ["1", "2"]],
    ["?a", "a", [""]],
    ["?a=", "a", [""]],
    ["?A=1", "a", []],
    ["", "a", []],
    ["?", "a", []],
    ["?q=x+y%20z%2B", "q", ["x y z+"]],
    ["?q=%C3%BC", "q", ["ü"]],
    ["?q=%zz", "q", ["%zz"]],
    ["?%61=1", "a", ["1"]],
    ["?a=b=c", "a", ["b=c"]],
    ["?constructor=1", "constructor", ["1"]],
    ["?a=1", "constructor", []],
    ["?__proto__=1", "__proto__", ["1"]],
  ];
  for (const [search, name, values] of cases) {
    it(`of "${search}" has ${name} = ${JSON.stringify(values)}`, () => {
      const { query } = asked(`GET /${search}`);
      assert.deepEqual(query.getAll(name), values);
      assert.equal(query.get(name), values[0] ?? null);
      assert.equal(query.has(name), values.length > 0);
    });
  }
});

describe("the cookies", () => {
  const cases: readonly (readonly [field: string | readonly string[], cookies: Readonly<Record<string, string>>])[] = [
    ["a=1", { a: "1" }],
    ["a=1; b=2", { a: "1", b: "2" }],
    ["a=1;b=2", { a: "1", b: "2" }],
    [["a=1", "b=2"], { a: "1", b: "2" }],
    ["a=1; a=2", { a: "1" }],
    ["a=b=c", { a: "b=c" }],
    ['a="1 2"', { a: "1 2" }],
    ['a="', { a: '"' }],
    ["a=", { a: "" }],
    [" a = 1 ", { a: "1" }],
    // The bytes of "à" in UTF-8, of which the last is no white space here.
    ["a=voil\xc3\xa0; b=1", { a: "voil\xc3\xa0", b: "1" }],
    ["a", {}],
    ["=1", {}],
    ["", {}],
    [";; ;", {}],
    ["a=%20", { a: "%20" }],
    ["constructor=1", { constructor: "1" }],
  ];
  for (const [field, cookies] of cases) {
    it(`of ${JSON.stringify(field)} are ${JSON.stringify(cookies)}`, () => {
      const request = HttpRequest.of({ headers: { Cookie: field } });
      assert.deepEqual([...request.cookies], Object.entries(cookies));
    });
  }

  it("are empty without the field", () => {
    assert.equal(HttpRequest.of().cookies.size, 0);
    assert.equal(HttpRequest.of().cookies.has("constructor"), false);
  });
});

describe("a request that is made of another", () => {
  it("has another method, target and content, and all else of it", async () => {
    const seen = attribute<string>("seen");
    const signal = AbortSignal.abort();
    const headers = { Host: "a.example", "Content-Type": "text/plain", "Content-Encoding": "gzip" };
    const given = HttpRequest.of({ method: "POST", target: "/a?b=1", headers, body: "x", signal }).withAttribute(
      seen,
      "yes",
    );
    const made = given.withMethod("PATCH").withTarget("/c%20d?e=2").withContent("application/json", '{"ü":1}');
    assert.deepEqual([made.method, made.path, made.search, made.query.get("e")], ["PATCH", "/c d", "e=2", "2"]);
    assert.deepEqual(Object.fromEntries(made.headers), {
      Host: "a.example",
      "Content-Type": "application/json",
      "Content-Length": "8",
    });
    assert.deepEqual([made.attribute(seen), made.client.host, made.signal.aborted], ["yes", "a.example", true]);
    assert.deepEqual(await made.json(), { ü: 1 });
    assert.deepEqual(
      [given.method, given.path, await given.withoutHeader("Content-Encoding").text()],
      ["POST", "/a", "x"],
    );
    assert.throws(() => given.withTarget("no path"), HttpError);
  });

  it("takes content in pieces, whose length is not known before their end", async () => {
    const given = HttpRequest.of({ method: "POST", headers: { "Content-Length": "1" }, body: "x" });
    const pieces = async function* () {
      yield* [new Uint8Array([97]), new Uint8Array([98, 99])];
    };
    const made = given.withContent("text/plain", pieces());
    assert.deepEqual([made.header("Content-Length"), await made.text()], [undefined, "abc"]);
    await assert.rejects(given.withContent("text/plain", pieces()).text({ limit: 2 }), { name: "HttpError" });
    const streamed = await Array.fromAsync(given.withContent("text/plain", pieces()).stream({ limit: 3 }));
    assert.equal(streamed.length, 2);
  });

  it("has its content read by the limits of the app", async () => {
    const read = GET("/", async (request) => ok().withBody(await request.withContent("text/plain", "long").text()));
    const { fetch } = router({ contentLimit: 3 }, read);
    assert.equal((await fetch(new Request("http://localhost/"))).status, 413);
  });
});

describe("request.onEnd", () => {
  it("reports what a listener throws, also one that comes when the request has ended", async () => {
    const faults: unknown[] = [];
    const requests: HttpRequest[] = [];
    const fails = (): never => {
      throw new Error("from the listener");
    };
    const answer = GET("/", (request) => {
      request.onEnd(fails);
      requests.push(request);
      return ok();
    });
    await router({ onFault: (error) => faults.push(error) }, answer).fetch(new Request("http://localhost/"));
    for (const request of requests) assert.equal(request.onEnd(fails), true);
    assert.deepEqual(faults.map(String), ["Error: from the listener", "Error: from the listener"]);
  });
});

describe("a request", () => {
  it("has a query that is iterable", () => {
    const { query } = HttpRequest.of({ target: "/?a=1&b=2&a=3" });
    assert.deepEqual(
      [...query],
      [
        ["a", "1"],
        ["b", "2"],
        ["a", "3"],
      ],
    );
    assert.deepEqual(Object.fromEntries(query), { a: "3", b: "2" });
  });

  it("may have as many values in its JSON as the handler says", async () => {
    const body = JSON.stringify(Array(10_001).fill(1));
    await assert.rejects(HttpRequest.of({ body }).json(), { name: "HttpError" });
    assert.equal(((await HttpRequest.of({ body }).json({ maxValues: 20_000 })) as readonly unknown[]).length, 10_001);
  });

  it("is made by fetch of a URL, too", async () => {
    const { fetch } = router(
      GET("/a", (request) => text(`${request.method} ${request.search} ${request.header("X-A")}`)),
    );
    const response = await fetch("http://x/a?b", { headers: { "X-A": "1" } });
    assert.equal(await response.text(), "GET b 1");
    assert.equal((await fetch(new URL("http://x/nothing"))).status, 404);
  });
});

describe("content of text/html", () => {
  it("is UTF-8 where it is text, and as it is said where it is bytes or has a charset", () => {
    const typeOf = (type: string, body: string | Uint8Array) => content(type, body).header("Content-Type");
    assert.equal(typeOf("text/html", "ü"), "text/html; charset=utf-8");
    assert.equal(typeOf("text/html", new Uint8Array()), "text/html");
    assert.equal(typeOf("text/html; charset=latin1", ""), "text/html; charset=latin1");
    assert.equal(typeOf("text/csv", ""), "text/csv");
  });
});
