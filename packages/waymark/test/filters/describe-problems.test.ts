import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeCodings } from "@waymark/node";
import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { type App, content, empty, type Filter, GET, problem, problemTypes, router, text } from "waymark";
import { compress, describeProblems, nameRequests } from "waymark/filters";
import type { ProblemDetails } from "../../src/problem.ts";
import { ask, fetched } from "../tools/ask.ts";

const details = {
  detail: 'The content breaks <2> rules & "more".',
  errors: [
    { detail: "is missing", pointer: "#/name" },
    { detail: "is no date", pointer: "#/birthDate" },
  ],
  limit: 10,
  nested: { deep: [true, null, []] },
};

const appWith = (given: ProblemDetails = details, around: readonly Filter[] = []): App =>
  router(
    { filters: [...around, describeProblems()], onFault: () => undefined },
    GET("/invalid", () => problem(problemTypes.invalidContent, given)),
    GET("/missing", () => empty(404)),
    GET("/words", () => text("wrong", 400)),
    GET("/good", () => text("good")),
    GET("/by-hand", ({ search }) => content("application/problem+json", decodeURIComponent(search), 400)),
    GET("/varying", () => problem(problemTypes.invalidContent).withHeader("Vary", "Origin")),
    GET("/instance", () => problem(problemTypes.invalidContent, { instance: "/log/17" })),
    GET("/broken", () => {
      throw new Error("secret");
    }),
  );

/** The document as a parser that is not ours reads it; every value is text. */
function parseXml(xml: string): Readonly<Record<string, unknown>> {
  assert.equal(XMLValidator.validate(xml), true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    parseTagValue: false,
    trimValues: false,
    ignoreDeclaration: true,
    isArray: (name) => name === "i",
  });
  return parser.parse(xml).problem;
}

describe("a problem document", () => {
  const app = appWith();
  const json = [
    ...[undefined, "*/*", "application/*", "application/json", "application/problem+json", "text/html", "garbage"],
    ...["application/problem+json, application/xml", "application/json;q=0.5, text/xml;q=0.5"],
    ...["application/json;q=0", "application/json;q=0, application/problem+json;q=0, text/html"],
    ...["application/json;q=0.5, application/*", "application/xml, text/html"],
    ...["text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8"],
  ];
  const xml = [
    ...["application/problem+xml", "application/xml", "text/xml", "application/json;q=0.5, application/xml"],
    ...["application/problem+json;q=0.8, application/problem+xml;q=0.9", "text/html, application/problem+xml"],
    ...["application/json;q=0, application/problem+json;q=0, */*", "text/html;q=0, application/xml"],
    ...["application/xml, text/html;q=0.5"],
  ];
  for (const [accept, form] of [...json.map((each) => [each, "json"]), ...xml.map((each) => [each, "xml"])]) {
    it(`is ${form} where Accept is ${accept ?? "not there"}`, async () => {
      const fields = accept === undefined ? {} : { Accept: accept };
      for (const [line, status] of [
        ["GET /invalid", 400],
        ["GET /nowhere", 404],
        ["GET /broken", 500],
      ] as const) {
        const answer = await fetched(app, line, fields);
        const { headers } = answer;
        assert.deepEqual(
          [answer.status, headers["content-type"], headers["vary"], headers["cache-control"]],
          [status, `application/problem+${form}`, "Accept", "no-store"],
        );
        assert.equal(headers["content-length"], String(answer.bytes.length));
        const read = form === "xml" ? parseXml(answer.text) : JSON.parse(answer.text);
        assert.equal(String(read["status"]), String(status));
        const head = await fetched(app, line.replace("GET", "HEAD"), fields);
        assert.deepEqual([head.status, head.headers, head.text], [status, headers, ""]);
      }
    });
  }

  it("has an element for every member", async () => {
    const { text } = await fetched(app, "GET /invalid", { Accept: "application/xml" });
    assert.match(text, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<problem xmlns="urn:ietf:rfc:7807"><type>/);
    assert.deepEqual(parseXml(text), {
      "@_xmlns": "urn:ietf:rfc:7807",
      type: "/problems/invalid-content",
      title: "Invalid content",
      detail: details.detail,
      status: "400",
      errors: { i: details.errors },
      limit: "10",
      nested: { deep: { i: ["true", "", ""] } },
    });
  });

  it("is all that is changed, and not one that a handler has written by itself", async () => {
    for (const [line, type, body] of [
      ["GET /missing", undefined, ""],
      ["GET /words", "text/plain; charset=utf-8", "wrong"],
      ["GET /good", "text/plain; charset=utf-8", "good"],
      ["GET /by-hand?no-document", "application/problem+json", "no-document"],
      ['GET /by-hand?{"status":400}', "application/problem+json", '{"status":400}'],
    ] as const) {
      const answer = await fetched(app, line.replace(/[{"}]/g, encodeURIComponent), {
        Accept: "application/xml, text/plain",
      });
      assert.deepEqual([answer.headers["content-type"], answer.text], [type, body]);
      if (!line.includes("by-hand")) assert.equal(answer.headers["vary"], undefined);
    }
  });

  it("adds to what Vary says", async () => {
    assert.equal((await ask(app, "GET /varying")).header("Vary"), "Origin, Accept");
  });

  it("is coded as any content is", async () => {
    const coding = router(
      { filters: [compress({ codings: nodeCodings, minimum: 10 }), describeProblems()] },
      GET(() => problem(problemTypes.invalidContent, { detail: "x".repeat(2000) })),
    );
    const { headers, bytes } = await fetched(coding, "GET /", { Accept: "text/xml", "Accept-Encoding": "gzip" });
    assert.deepEqual(
      [headers["content-encoding"], headers["content-type"], headers["vary"]],
      ["gzip", "application/problem+xml", "Accept, Accept-Encoding"],
    );
    assert.ok(bytes.length < 500);
  });

  it("has the id of the request as the instance", async () => {
    const named = appWith(details, [nameRequests()]);
    const id = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
    for (const [sent, instance] of [
      [id, `urn:uuid:${id}`],
      ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "#01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ] as const) {
      const json = await fetched(named, "GET /broken", { "X-Request-Id": sent });
      const head = '{"type":"/problems/internal-error","title":"Internal Server Error","status":500';
      assert.equal(json.text, `${head},"instance":"${instance}"}`);
      assert.equal(json.headers["content-length"], String(json.bytes.length));
      const xml = await fetched(named, "GET /nowhere", { "X-Request-Id": sent, Accept: "text/xml" });
      assert.equal(parseXml(xml.text)["instance"], instance);
    }
    const own = await fetched(named, "GET /instance", { "X-Request-Id": id });
    assert.equal(JSON.parse(own.text).instance, "/log/17");
    const made = await fetched(named, "GET /nowhere");
    assert.equal(JSON.parse(made.text).instance, `urn:uuid:${made.headers["x-request-id"]}`);
  });
});

describe("describeProblems", () => {
  const asXml = async (given: ProblemDetails): Promise<string> =>
    String((await ask(appWith(given), "GET /invalid", { Accept: "text/xml" })).body);

  it("has a form that a parser reads, for any text", async () => {
    // What XML cannot carry becomes U+FFFD, and the rest comes through as it is.
    const canCarry = (character: string): boolean =>
      ["\t", "\n", "\r"].includes(character) || (character >= " " && character !== "\ufffe" && character !== "\uffff");
    const carried = (value: string): string =>
      Array.from(value.toWellFormed(), (character) => (canCarry(character) ? character : "\ufffd")).join("");
    await fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.oneof(
            fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
            fc.constantFrom("]]>", "<!--", "&amp;", "</detail>", "\r\n", "😀"),
          ),
        }),
        async (value) => {
          const read = parseXml(await asXml({ name: value, list: [value] }));
          // The parser keeps line ends and references to characters as they are written.
          const text = (from: unknown): string =>
            String(from)
              .replaceAll("&#13;", "\r")
              .replaceAll(/&#x([0-9a-f]+);/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
          assert.equal(text(read["name"]), carried(value).replaceAll("&#13;", "\r"));
          assert.equal(text((read["list"] as { i: unknown[] }).i[0]), carried(value).replaceAll("&#13;", "\r"));
        },
      ),
    );
  });

  it("has a form that a parser reads, for any members", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (extensions) => {
        // The parser itself refuses the names of JavaScript's own, such as `prototype`.
        assert.equal(XMLValidator.validate(await asXml({ ...extensions, detail: "fixed" })), true);
      }),
    );
  });

  it("puts the standard members first, as the grammar has them", async () => {
    const xml = await asXml({ zeal: 1, instance: "/log/17", detail: "d" });
    assert.deepEqual(
      [...xml.matchAll(/<(\w+)>/g)].map(([, name]) => name),
      ["type", "title", "detail", "status", "instance", "zeal"],
    );
  });

  it("leaves out what no element can be named", async () => {
    const xml = await asXml({
      "a b": 1,
      "1a": 1,
      "x:y": 1,
      xmlish: 1,
      "": 1,
      "violated-policies": ["p"],
      __proto__: 1,
    });
    const read = parseXml(xml);
    assert.deepEqual(Object.keys(read), ["type", "title", "status", "violated-policies", "@_xmlns"]);
  });
});
