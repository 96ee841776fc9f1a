import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ask,
  basicCredentials,
  content,
  empty,
  GET,
  integer,
  json,
  noContent,
  none,
  POST,
  router,
  text,
} from "waymark";

const echo = POST("/echo", async (request) =>
  json({
    type: request.header("Content-Type") ?? null,
    authorization: request.header("Authorization") ?? null,
    cookie: request.header("Cookie") ?? null,
    text: await request.text(),
  }),
);
const app = router(
  echo,
  GET("/7", () => json(7)),
  GET("/text", () => text("ü")),
  GET("/bytes", () => content("image/png", Uint8Array.of(1, 2))),
  GET("/pieces", () => content("text/plain", ["a", new TextEncoder().encode("b")])),
  GET("/cookie", () => noContent().withCookie("a", "1").withCookie("b", "2").withoutCookie("c")),
);

describe("ask", () => {
  it("sends JSON, forms and text, a token, fields and cookies", async () => {
    const none = { type: null, authorization: null, cookie: null, text: "" };
    const cases = [
      [{}, none],
      [{ json: { a: [1] } }, { ...none, type: "application/json", text: '{"a":[1]}' }],
      [
        { form: { a: ["1", "2"], b: "ü" } },
        { ...none, type: "application/x-www-form-urlencoded", text: "a=1&a=2&b=%C3%BC" },
      ],
      [
        { body: "x", headers: { "Content-Type": "text/x" } },
        { ...none, type: "text/x", text: "x" },
      ],
      [{ as: "key" }, { ...none, authorization: "Bearer key" }],
      [{ as: "Basic YTpi" }, { ...none, authorization: "Basic YTpi" }],
      [
        {
          cookies: new Map([
            ["a", "1"],
            ["b", "2"],
          ]),
        },
        { ...none, cookie: "a=1; b=2" },
      ],
    ] as const;
    for (const [options, expected] of cases) assert.deepEqual((await ask(app, "POST /echo", options)).value, expected);
  });

  it("reads the answer by its type, and its cookies", async () => {
    for (const [target, expected] of [
      ["/7", 7],
      ["/text", "ü"],
      ["/bytes", Uint8Array.of(1, 2)],
      ["/pieces", "ab"],
      ["/cookie", undefined],
    ] as const) {
      assert.deepEqual((await ask(app, `GET ${target}`)).value, expected);
    }
    assert.equal((await ask(app, "HEAD /7")).value, undefined);
    assert.deepEqual(
      [...(await ask(app, "GET /cookie")).cookies],
      [
        ["a", "1"],
        ["b", "2"],
      ],
    );
    const { status, value } = await ask<{ readonly type: string }>(app, "GET /nothing");
    assert.deepEqual([status, value.type], [404, "/problems/not-found"]);
  });

  it("holds the answer to statuses and schemas, which give it its types", async () => {
    const number = router(
      GET("/7", () => json(7)),
      GET("/none", () => empty(204)),
    );
    const answers = { 200: integer(), 204: none } as const;
    const answer = await ask(number, "GET /7", { answers });
    // Narrowed by the status, each value has its type.
    const next: number = answer.status === 200 ? answer.value + 1 : 0;
    const nothing: undefined = answer.status === 204 ? answer.value : undefined;
    assert.deepEqual([next, nothing], [8, undefined]);
    assert.equal((await ask(number, "GET /none", { answers })).status, 204);
    const refuse = (line: string, message: RegExp, of = answers) =>
      assert.rejects(ask(number, line, { answers: of }), message);
    await refuse("GET /x", /^TypeError: GET \/x → 404, which is none of 200, 204: .*not-found/);
    await refuse("GET /7", /^TypeError: GET \/7 → 200: content where there should be none/, { 200: none } as never);
    await assert.rejects(ask(app, "GET /text", { answers }), /^TypeError: GET \/text → 200: /);
  });

  it("refuses a line that is none, two contents and unknown options", async () => {
    await assert.rejects(ask(app, "/7"), /takes a method and a target, such as "GET \/books", not "\/7"/);
    await assert.rejects(ask(app, "POST /echo", { json: 1, body: "" }), /one of json, form and body/);
    await assert.rejects(ask(app, "POST /echo", { jsno: 1 } as never), /"jsno".*json/s);
  });
});

describe("basicCredentials", () => {
  const read = GET("/", (request) => json(basicCredentials(request) ?? "none"));
  const basic = (value: string): string => `Basic ${Buffer.from(value).toString("base64")}`;
  const cases: readonly (readonly [authorization: string, expected: unknown])[] = [
    [basic("ada:se:cret"), { name: "ada", password: "se:cret" }],
    [basic("zoë:"), { name: "zoë", password: "" }],
    [basic(":p").replace("Basic", "bAsIC"), { name: "", password: "p" }],
    [basic("ada"), "none"],
    ["Basic !", "none"],
    ["Basic /w==", "none"],
    ["Bearer YTpi", "none"],
  ];
  for (const [as, expected] of cases) {
    it(`are ${JSON.stringify(expected)} in ${as}`, async () =>
      assert.deepEqual((await ask(router(read), "GET /", { headers: { Authorization: as } })).value, expected));
  }
});
