import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { content, created, empty, HttpResponse, json, noContent, notFound, ok, problem, redirect, text } from "waymark";
import { HeaderList } from "waymark/fields";

describe("the helpers", () => {
  const bytes = new Uint8Array([1, 2]);
  const cases: readonly (readonly [
    call: string,
    response: HttpResponse,
    status: number,
    flat: readonly string[],
    body?: unknown,
  ])[] = [
    ["ok()", ok(), 200, []],
    ["noContent()", noContent(), 204, []],
    ["notFound()", notFound(), 404, []],
    ["empty(202)", empty(202), 202, []],
    ['created("/person/1")', created("/person/1"), 201, ["Location", "/person/1"]],
    ['created("/zoë%2F b")', created("/zoë%2F b"), 201, ["Location", "/zo%C3%AB%2F%20b"]],
    ['redirect("/")', redirect("/"), 303, ["Location", "/"]],
    ['redirect("/zoë?q=a b")', redirect("/zoë?q=a b"), 303, ["Location", "/zo%C3%AB?q=a%20b"]],
    ['redirect("/%C3%AB%zz#😀")', redirect("/%C3%AB%zz#😀"), 303, ["Location", "/%C3%AB%25zz#%F0%9F%98%80"]],
    ['redirect("//evil.example/x/")', redirect("//evil.example/x/"), 303, ["Location", "/evil.example/x/"]],
    ['redirect("///evil.example")', redirect("///evil.example"), 303, ["Location", "/evil.example"]],
    ['redirect("/\\\\evil.example")', redirect("/\\evil.example"), 303, ["Location", "/%5Cevil.example"]],
    ['redirect("https://a.example//b")', redirect("https://a.example//b"), 303, ["Location", "https://a.example//b"]],
    ['created("//7")', created("//7"), 201, ["Location", "/7"]],
    ['redirect("/", 308)', redirect("/", 308), 308, ["Location", "/"]],
    ['text("ü")', text("ü"), 200, ["Content-Type", "text/plain; charset=utf-8"], "ü"],
    ['text("", 404)', text("", 404), 404, ["Content-Type", "text/plain; charset=utf-8"], ""],
    ["json({ a: [1] })", json({ a: [1] }), 200, ["Content-Type", "application/json"], '{"a":[1]}'],
    ["json(null, 202)", json(null, 202), 202, ["Content-Type", "application/json"], "null"],
    ['content("a/b", bytes)', content("a/b", bytes), 200, ["Content-Type", "a/b"], bytes],
    ['content("a/b", "x", 400)', content("a/b", "x", 400), 400, ["Content-Type", "a/b"], "x"],
  ];
  for (const [call, response, status, flat, body = null] of cases) {
    it(`${call} is ${status} ${flat.join(" ")}`, () => {
      assert.equal(response.status, status);
      assert.deepEqual(response.headers.flat, flat);
      assert.equal(response.body, body);
    });
  }

  it("json refuses what has no JSON form", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [undefined, () => 1, Symbol("s"), 1n, cycle]) assert.throws(() => json(value), TypeError);
    assert.throws(() => json(undefined), { message: "undefined has no JSON form" });
  });

  it("content, created and redirect refuse what no header field can carry", () => {
    assert.throws(() => content("a/b\r\nX: y", ""), TypeError);
    assert.throws(() => content("<h1>Hello</h1>", "text/html"), {
      name: "TypeError",
      message: 'content(…) takes a media type, such as "text/html", and then the content, not "<h1>Hello</h1>"',
    });
    assert.throws(() => created("/a\r\nX: y"), TypeError);
    assert.throws(() => redirect("/a\nb"), TypeError);
  });

  it("redirect refuses a status that sends nobody on", () => {
    const message = /^RangeError: A redirect has the status 301, 302, 303, 307 or 308, not 200$/;
    // @ts-expect-error: 200 is no status of a redirect
    assert.throws(() => redirect("/", 200), message);
  });
});

describe("a response", () => {
  it("has neither fields nor content unless they are given", () => {
    const response = new HttpResponse(200);
    assert.deepEqual([response.headers.flat, response.body], [[], null]);
  });

  it("takes its fields as an object or as a list", () => {
    const list = HeaderList.of({ "X-A": "1" });
    assert.equal(new HttpResponse(200, list).headers, list);
    assert.deepEqual(new HttpResponse(200, { "X-A": ["1", "2"] }).headers.flat, ["X-A", "1", "X-A", "2"]);
  });

  for (const status of [200, 204, 299, 304, 404, 599]) {
    it(`can have the status ${status}`, () => assert.equal(empty(status).status, status));
  }

  for (const status of [0, 100, 101, 199, 600, 1000, -1, 200.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`cannot have the status ${status}`, () => {
      assert.throws(() => empty(status), {
        name: "RangeError",
        message: `A response has a status of 200 to 599, not ${status}`,
      });
      assert.throws(() => ok().withStatus(status), RangeError);
    });
  }
});

describe("the problem of a response", () => {
  const type = { code: "no-tea", status: 503, title: "No tea", explanation: "There is none." } as const;
  const response = problem(type, { detail: "The pot is empty.", cups: 2 });
  const document = { type: "/problems/no-tea", title: "No tea", status: 503, detail: "The pot is empty.", cups: 2 };

  it("is an object, and JSON when the body is read", () => {
    assert.deepEqual(response.problem, document);
    assert.deepEqual(JSON.parse(response.body as string), document);
  });

  it("stays with the response when its fields change", () => {
    assert.deepEqual(response.withHeader("A", "1").problem, document);
  });

  it("says the status of the response, whatever it was made with", () => {
    const gone = { ...document, status: 410 };
    assert.deepEqual(response.withStatus(410).problem, gone);
    assert.deepEqual(JSON.parse(response.withStatus(410).body as string), gone);
    assert.deepEqual(problem(type, { detail: "The pot is empty.", cups: 2, status: 410 }).problem, document);
    assert.deepEqual(empty(410).withProblem(document).problem, gone);
    assert.deepEqual(JSON.parse(response.body as string), document);
  });

  it("is replaced whole, and goes with another body", () => {
    const other = response.withProblem({ ...document, instance: "#1" });
    assert.deepEqual(other.problem, { ...document, instance: "#1" });
    assert.equal(other.body, JSON.stringify({ ...document, instance: "#1" }));
    assert.equal(response.withBody("none").problem, undefined);
    assert.equal(json(document).problem, undefined);
  });

  it("is written once, whoever reads it", () => {
    let written = 0;
    const counting = problem(type, {
      counted: {
        toJSON: () => {
          written++;
          return "x";
        },
      },
    });
    assert.equal(written, 0);
    assert.equal(counting.body, counting.withHeader("A", "1").body);
    assert.equal(written, 1);
  });
});

describe("a changed response", () => {
  const bodies = {
    text: "text",
    bytes: new Uint8Array([1]),
    iterable: ["a", "b"],
    stream: new ReadableStream<Uint8Array>(),
  };
  const changes: Readonly<Record<string, (response: HttpResponse) => HttpResponse>> = {
    withHeader: (response) => response.withHeader("X-B", "2"),
    withAddedHeader: (response) => response.withAddedHeader("X-A", "2"),
    withoutHeader: (response) => response.withoutHeader("X-A"),
    withHeaders: (response) => response.withHeaders(HeaderList.empty),
    withStatus: (response) => response.withStatus(203),
  };
  for (const [name, change] of Object.entries(changes)) {
    for (const [kind, body] of Object.entries(bodies)) {
      it(`shares its ${kind} body after ${name}, and leaves the first as it was`, () => {
        const response = new HttpResponse(200, { "X-A": "1" }, body);
        const changed = change(response);
        assert.notEqual(changed, response);
        assert.equal(changed.body, body);
        assert.deepEqual([response.status, response.headers.flat, response.body], [200, ["X-A", "1"], body]);
      });
    }
  }

  it("has what it was given", () => {
    const response = new HttpResponse(200, { "X-A": "1" }, "body");
    assert.deepEqual(response.withHeader("x-a", "2").headers.flat, ["x-a", "2"]);
    assert.deepEqual(response.withAddedHeader("X-A", "2").headers.getAll("X-A"), ["1", "2"]);
    assert.deepEqual(response.withoutHeader("x-a").headers.flat, []);
    assert.equal(response.withStatus(404).status, 404);
    assert.equal(response.withStatus(404).headers, response.headers);
    assert.equal(response.withBody("other").body, "other");
    assert.equal(response.withBody(null).body, null);
    assert.equal(response.withBody("other").headers, response.headers);
  });

  it("is the response itself when its fields stay the same", () => {
    const response = new HttpResponse(200, { "X-A": "1" });
    assert.equal(response.withoutHeader("X-B"), response);
    assert.equal(response.withHeaders(response.headers), response);
  });
});
