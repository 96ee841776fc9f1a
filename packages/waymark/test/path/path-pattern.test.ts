import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { GET, group, json, type Route, router } from "waymark";
import { RoutingError } from "waymark/routing";
import { ask } from "../tools/ask.ts";
import { runs } from "../tools/runs.ts";

type Bound = Readonly<Record<string, string | readonly string[]>>;

const echo = (template: string): Route => GET(template, (request) => json(request.variables));

/** What the template binds in the path of the target, or undefined when it does not match. */
async function match(template: string, target: string): Promise<Bound | undefined> {
  const response = await ask(router(echo(template)), `GET ${target}`);
  return response.status === 200 ? JSON.parse(String(response.body)) : undefined;
}

const tables: Readonly<Record<string, readonly (readonly [template: string, target: string, bound?: Bound])[]>> = {
  "literal text": [
    ["", "/", {}],
    ["/", "/", {}],
    ["/person", "/person", {}],
    ["/person", "/Person"],
    ["/person", "/person/"],
    ["/person", "//person"],
    ["/person", "/persons"],
    ["/person", "/person/1"],
    ["/person/", "/person/", {}],
    ["/person/", "/person"],
    ["/a//b", "/a//b", {}],
    ["/a//b", "/a/b"],
    ["/a/b", "/a//b"],
    ["/person", "/%70erson", {}],
    ["/a/b", "/a%2Fb"],
    ["/a.b", "/a.b", {}],
    ["/a.b", "/axb"],
    ["/a+(b)[c]^$|", "/a+(b)%5Bc%5D%5E$%7C", {}],
    ["/constructor", "/constructor", {}],
    ["/a", "/constructor"],
  ],
  "literal text, which is written decoded": [
    ["/a b", "/a%20b", {}],
    ["/straße/über", "/stra%C3%9Fe/%C3%BCber", {}],
    ["/👋", "/%F0%9F%91%8B", {}],
    ["/50%", "/50%25", {}],
    ["/a%2Fb", "/a%2Fb"],
    ["/a%2Fb", "/a%252Fb", {}],
    ["/a%20b", "/a%20b"],
  ],
  "a variable": [
    ["/{id}", "/7", { id: "7" }],
    ["/{id}", "/"],
    ["/{id}", "/7/"],
    ["/{id}", "/7/8"],
    ["/{id}", "//7"],
    ["/{id}/", "/7/", { id: "7" }],
    ["/person/{id}", "/person/7", { id: "7" }],
    ["/person/{id}", "/person/"],
    ["/person/{id}", "/person"],
    ["/{a}/{b}", "/1/2", { a: "1", b: "2" }],
    ["/{a}/x/{b}", "/1/x/2", { a: "1", b: "2" }],
    ["/{a}/x/{b}", "/1/y/2"],
    ["/{userId}", "/7", { userId: "7" }],
    ["/{_$1}", "/7", { _$1: "7" }],
    ["/{constructor}", "/7", { constructor: "7" }],
  ],
  "a variable's value, which is data": [
    ["/{id}", "/a%20b", { id: "a b" }],
    ["/{id}", "/%C3%BC", { id: "ü" }],
    ["/{id}", "/a%2Fb", { id: "a/b" }],
    ["/{id}", "/a%2fb", { id: "a/b" }],
    ["/{id}", "/%2F", { id: "/" }],
    ["/{id}", "/50%25", { id: "50%" }],
    ["/{id}", "/%252F", { id: "%2F" }],
    ["/{id}", "/%2531", { id: "%31" }],
    ["/{id}", "/%7Bid%7D", { id: "{id}" }],
    ["/{id}", "/a;v=2", { id: "a;v=2" }],
    ["/{id}", "/*", { id: "*" }],
    ["/{id}", "/...", { id: "..." }],
  ],
  "a variable with an expression": [
    ["/{id:[0-9]+}", "/42", { id: "42" }],
    ["/{id:[0-9]+}", "/4x"],
    ["/{id:[0-9]+}", "/x4"],
    ["/{id:a|bc}", "/bc", { id: "bc" }],
    ["/{id:a|bc}", "/ac"],
    ["/{id:[0-9]{2}}", "/42", { id: "42" }],
    ["/{id:[0-9]{2}}", "/421"],
    ["/{id:[0-9]{1,2}[a-z]{2}}/{b}", "/42xy/z", { id: "42xy", b: "z" }],
    ["/{id:\\p{L}+}", "/%C3%BCber", { id: "über" }],
    ["/{id:\\p{L}+}", "/7"],
    ["/{id:\\{[a-z]\\}}", "/%7Bx%7D", { id: "{x}" }],
    ["/{id:a/b}", "/a%2Fb", { id: "a/b" }],
    ["/{id:a/b}", "/a/b"],
    ["/{id:[0-9]*}", "/", { id: "" }],
    ["/{id:(?:a(b)?)}", "/ab", { id: "ab" }],
    ["/{id:(?<inner>[0-9])x}", "/7x", { id: "7x" }],
    ["/{id:a:b}", "/a:b", { id: "a:b" }],
    ["/{id:.}", "/%F0%9F%91%8B", { id: "👋" }],
    ["/{id:A}", "/a"],
  ],
  "a back-reference, which counts the groups of its own expression": [
    ["/{a:(.)\\1}", "/xx", { a: "xx" }],
    ["/{a:(.)\\1}", "/x"],
    ["/{a:(.)\\1}", "/xy"],
    ["/{a:(.)(.)\\2\\1}", "/xyyx", { a: "xyyx" }],
    ["/{a:(.)(.)\\2\\1}", "/xyxy"],
    ["/{a}-{b:(.)\\1}-{c:(x)(.)\\2}", "/q-zz-xyy", { a: "q", b: "zz", c: "xyy" }],
    ["/{a}-{b:(.)\\1}-{c:(x)(.)\\2}", "/q-zz-xyx"],
    ["/{a:(?<twice>.)\\k<twice>}", "/xx", { a: "xx" }],
    ["/{a:(?<twice>.)\\k<twice>}", "/xy"],
    ["/{a:(.)\\\\1}", "/x%5C1", { a: "x\\1" }],
  ],
  "text around variables": [
    ["/{name}.{ext}", "/report.pdf", { name: "report", ext: "pdf" }],
    ["/{name}.{ext}", "/a.b.c", { name: "a.b", ext: "c" }],
    ["/{name}.{ext}", "/report"],
    ["/{name}.{ext}", "/.pdf"],
    ["/{name}.{ext}", "/report."],
    ["/{name}.{ext}", "/a%2Fb.c", { name: "a/b", ext: "c" }],
    ["/v{n:[0-9]+}", "/v2", { n: "2" }],
    ["/v{n:[0-9]+}", "/vx"],
    ["/v{n:[0-9]+}", "/V2"],
    ["/{a}-{b:[0-9]{2}}x", "/q-12x", { a: "q", b: "12" }],
    ["/{id}.json", "/7.json", { id: "7" }],
    ["/a{x}a", "/a"],
    ["/a{x}a", "/aaa", { x: "a" }],
    ["/{a}-{b}-{c}.json", "/1-2--3-.json", { a: "1", b: "2-", c: "3-" }],
    ["/{id}.json", "/7xjson"],
    ["/50% {what}", "/50%25%20off", { what: "off" }],
    ["/+{a}", "/+7", { a: "7" }],
  ],
  "? and * within a segment": [
    ["/a?", "/ab", {}],
    ["/a?", "/a"],
    ["/a?", "/abc"],
    ["/a?", "/a%F0%9F%91%8B", {}],
    ["/?", "/"],
    ["/a*", "/a", {}],
    ["/a*", "/abc", {}],
    ["/a*", "/ba"],
    ["/a*", "/a/b"],
    ["/*.txt", "/.txt", {}],
    ["/*.txt", "/a.b.txt", {}],
    ["/*.txt", "/a.txt.gz"],
    ["/a*", "/a%2Fb", {}],
    ["/*a*b*", "/ab", {}],
    ["/*a*b*", "/ba"],
    ["/*{id}", "/xy", { id: "y" }],
  ],
  "* alone": [
    ["/*", "/a", {}],
    ["/*", "/"],
    ["/*", "/a/b"],
    ["/a/*/b", "/a/x/b", {}],
    ["/a/*/b", "/a//b"],
    ["/a/*/{id}", "/a/x/7", { id: "7" }],
  ],
  "what is left, at the end": [
    ["/files/**", "/files", {}],
    ["/files/**", "/files/", {}],
    ["/files/**", "/files/a/b", {}],
    ["/files/**", "/filesystem"],
    ["/**", "/", {}],
    ["/**", "/a/b/c", {}],
    ["/files/{*rest}", "/files", { rest: [] }],
    ["/files/{*rest}", "/files/", { rest: [""] }],
    ["/files/{*rest}", "/files/a", { rest: ["a"] }],
    ["/files/{*rest}", "/files/a/b/", { rest: ["a", "b", ""] }],
    ["/files/{*rest}", "/files/a%2Fb/%25", { rest: ["a/b", "%"] }],
    ["/{*rest}", "/", { rest: [""] }],
    ["/{id}/{*rest}", "/7/a/b", { id: "7", rest: ["a", "b"] }],
    ["/{id}/**", "/7/a/b", { id: "7" }],
  ],
  "what comes before, at the beginning": [
    ["/**/end", "/end", {}],
    ["/**/end", "/a/b/end", {}],
    ["/**/end", "/a/end/b"],
    ["/**/end", "/blend"],
    ["/{*before}/end", "/end", { before: [] }],
    ["/{*before}/end", "/a/b%2Fc/end", { before: ["a", "b/c"] }],
    ["/{*before}/end", "/end/end", { before: ["end"] }],
    ["/{*before}/{id}", "/a/b/7", { before: ["a", "b"], id: "7" }],
    ["/{*before}/{name}.txt", "/a/b.txt", { before: ["a"], name: "b" }],
  ],
};

for (const [about, cases] of Object.entries(tables)) {
  describe(about, () => {
    for (const [template, target, bound] of cases) {
      const outcome = bound === undefined ? "does not match" : `binds ${JSON.stringify(bound)} in`;
      it(`${JSON.stringify(template)} ${outcome} ${target}`, async () => {
        assert.deepEqual(await match(template, target), bound);
      });
    }
  });
}

it("what texts, variables and * bind is what a regular expression of them finds", async () => {
  const text = fc.stringMatching(/^[ab👋]{1,2}$/u);
  const gap = fc.constantFrom("{}", "*");
  const around = fc.option(text, { nil: "" });
  const template = fc
    .tuple(around, gap, fc.array(fc.tuple(text, gap), { maxLength: 3 }), around)
    .map(([first, one, further, last]) => [first, one, ...further.flat(), last])
    .map((parts) => parts.map((part, i) => (part === "{}" ? `{v${i}}` : part)).join(""));
  const segment = fc.stringMatching(/^[ab👋]{1,12}$/u);
  await fc.assert(
    fc.asyncProperty(template, segment, async (written, sent) => {
      const source = written.replaceAll("*", ".*").replaceAll(/\{(v\d+)\}/g, "(?<$1>.+)");
      const found = new RegExp(`^${source}$`, "u").exec(sent);
      const expected = found === null ? undefined : { ...found.groups };
      assert.deepEqual(await match(`/${written}`, `/${encodeURIComponent(sent)}`), expected, `${written} ${sent}`);
    }),
    { numRuns: runs(200) },
  );
});

it("a long segment is refused without a try of all places of the texts", async () => {
  // A regular expression takes hours.
  assert.equal(await match("/{a}-{b}-{c}.json", `/${"-".repeat(30_000)}`), undefined);
});

describe("a group's path and a route's", () => {
  it("bind together, each for its part of the path", async () => {
    const app = router(
      group(
        "/users/{userId}",
        group(
          "/{kind:[a-z]+}",
          GET("/{id}.{ext}", (request) => json(request.variables)),
        ),
      ),
    );
    const response = await ask(app, "GET /users/7/books/1%2F2.pdf");
    assert.deepEqual(JSON.parse(String(response.body)), { userId: "7", kind: "books", id: "1/2", ext: "pdf" });
  });

  it("may begin with what comes before", async () => {
    const app = router(
      group(
        "/{*before}",
        GET("/end", (request) => json(request.variables)),
      ),
    );
    const response = await ask(app, "GET /a/b/end");
    assert.deepEqual(JSON.parse(String(response.body)), { before: ["a", "b"] });
  });
});

describe("the target *", () => {
  it("is not a path: no template matches it", async () => {
    for (const template of ["/**", "/{*rest}", "/*", "/{id}", "", "/"]) {
      assert.equal(await match(template, "*"), undefined, template);
    }
  });
});

describe("a malformed template", () => {
  const cases: readonly (readonly [template: string, message: string | RegExp])[] = [
    ["person", 'The path "person" must begin with a slash'],
    ["{id}", 'The path "{id}" must begin with a slash'],
    ["*", 'The path "*" must begin with a slash'],
    ["/.", 'The path "/." has the dot segment "."'],
    ["/a/../b", 'The path "/a/../b" has the dot segment ".."'],
    ["/{id", 'The path "/{id" has a "{" that is not closed'],
    ["/{id:[0-9]{2}", 'The path "/{id:[0-9]{2}" has a "{" that is not closed'],
    ["/id}", 'The path "/id}" has a "}" that closes nothing'],
    ["/{id}}", 'The path "/{id}}" has a "}" that closes nothing'],
    ["/{}", 'The path "/{}" has the variable {}, which is not a name'],
    ["/{:[0-9]+}", 'The path "/{:[0-9]+}" has the variable {}, which is not a name'],
    ["/{1st}", 'The path "/{1st}" has the variable {1st}, which is not a name'],
    ["/{a b}", 'The path "/{a b}" has the variable {a b}, which is not a name'],
    ["/{a-b}", 'The path "/{a-b}" has the variable {a-b}, which is not a name'],
    ["/{ id }", 'The path "/{ id }" has the variable { id }, which is not a name'],
    ["/{__proto__}", 'The path "/{__proto__}" has the variable {__proto__}, which is not a name'],
    ["/{*}", 'The path "/{*}" has the variable {}, which is not a name'],
    ["/{*a b}", 'The path "/{*a b}" has the variable {a b}, which is not a name'],
    ["/x{*rest}", 'The path "/x{*rest}" has {*rest} beside other text; it takes whole segments'],
    ["/{*rest}.txt", 'The path "/{*rest}.txt" has {*rest} beside other text; it takes whole segments'],
    ["/{id:[0-9}", /^The path "\/\{id:\[0-9\}" has a malformed expression: /],
    ["/{id:*}", /has a malformed expression: .*Nothing to repeat/],
    ["/{id:(}", /has a malformed expression: .*Unterminated group/],
    ["/{id:a)(b}", /has a malformed expression: .*Unmatched '\)'/],
    ["/{id:.\\1}", /has a malformed expression: .*[Ii]nvalid/],
    ["/{a}-{b:\\k<a>}", /has a malformed expression: .*Invalid named capture referenced/],
    ["/{a}{a}", 'The path "/{a}{a}" has the name {a} twice in one segment'],
    ["/{a:(?<a>.)}", 'The path "/{a:(?<a>.)}" has the name {a} twice in one segment'],
    ["/{a:(?<x>.)}{x}", 'The path "/{a:(?<x>.)}{x}" has the name {x} twice in one segment'],
    ["/{id:}", 'The path "/{id:}" has no expression after the colon in {id:}; {id} takes any segment'],
    ["/v{n:}.{m}", 'The path "/v{n:}.{m}" has no expression after the colon in {n:}; {n} takes any segment'],
    ["/a/**/b", 'The path "/a/**/b" has {*rest} or ** in its middle; only the first or the last part can be that'],
    ["/a/{*x}/b", /in its middle/],
    ["/**/**", 'The path "/**/**" has {*rest} or ** twice'],
    ["/{*a}/b/{*c}", 'The path "/{*a}/b/{*c}" has {*rest} or ** twice'],
    ["/{id}/{id}", 'The path "/{id}/{id}" has the variable {id} twice'],
    ["/{id}/{*id}", 'The path "/{id}/{*id}" has the variable {id} twice'],
    ["/{id}/{id}.x", 'The path "/{id}/{id}.x" has the variable {id} twice'],
  ];
  for (const [template, message] of cases) {
    it(`${JSON.stringify(template)} is refused: ${message}`, () => {
      assert.throws(
        () => router(echo(template)),
        (error: unknown) => {
          assert.ok(error instanceof RoutingError);
          assert.equal(error.findings.length, 1);
          if (typeof message === "string") assert.equal(error.findings[0]?.message, message);
          else assert.match(error.findings[0]?.message ?? "", message);
          return true;
        },
      );
    });
  }
});
