import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ServeOptions, serve, toNodeListener } from "@waymark/node";
import { type App, GET, group, json, ok, or, path, type RouterOptions, router } from "waymark";
import { access, compress, cors, overload, rateLimit, refuseCrossSite, securityHeaders } from "waymark/filters";
import { codeAt } from "../../waymark/test/package/declared-code.ts";

// What people write who come from another router, or whose program has no types.

describe("a path with a colon for a variable", () => {
  it("is found, with how a variable is written and where the path is declared", () => {
    const app = router(GET("/a/:id", ok), group("/b/:bookId", GET("/{id}", ok)), GET(or(path("/c"), path("/:x")), ok));
    assert.deepEqual(
      app.findings.map(({ kind, message }) => [kind, message]),
      [
        ["foreign", 'The path "/a/:id" takes ":id" as plain text: a variable is {id}'],
        ["foreign", 'The path "/b/:bookId" takes ":bookId" as plain text: a variable is {bookId}'],
        ["foreign", 'The path "/:x" takes ":x" as plain text: a variable is {x}'],
      ],
    );
    assert.match(codeAt(String(app.findings[0]?.site), "migrants.test.ts"), /^GET\("\/a\/:id"/);
  });

  it("is not reported where the colon stands elsewhere", () => {
    const app = router(GET("/v1/{name}:cancel", ok), GET("/12:30", ok), GET("/{id:[a-z]+}", ok), GET("/:", ok));
    assert.deepEqual(app.findings, []);
  });

  it("is an error of a strict router", () => {
    assert.throws(() => router({ strict: true }, GET("/a/:id", ok)), /a variable is \{id\}/);
  });
});

describe("what the router found", () => {
  it("is reported once, when the server listens", async () => {
    const warned: string[] = [];
    const app = router(GET("/a/:id", ok), GET("/b", ok), GET("/b", ok));
    const server = await serve(app, { warn: (finding) => warned.push(finding) });
    await server.close();
    assert.equal(warned.length, 2);
    assert.match(warned.join("\n"), /a variable is \{id\} \(\S+migrants\.test\.ts:\d+:\d+\)/);
    assert.match(warned.join("\n"), /GET \/b is never reached/);
  });

  it("goes to the console by default, and nothing does where there is nothing", async (t) => {
    const warn = t.mock.method(console, "warn", () => {});
    await (await serve(router(GET("/a", ok)))).close();
    assert.equal(warn.mock.callCount(), 0);
    await (await serve(router(GET("/:a", ok)))).close();
    assert.equal(warn.mock.callCount(), 1);
  });
});

describe("options that there are not", () => {
  it("are refused by router, with the nearest", () => {
    const options = { filter: [] } as RouterOptions; // as of a program without types
    assert.throws(() => router(options, GET("/a", ok)), {
      name: "TypeError",
      message: /^router\(\{ … \}\) has no option "filter"; did you mean filters\? Known: filters, strict, /,
    });
  });

  it("are refused by serve, with the nearest", async () => {
    const options = { prot: 1 } as ServeOptions; // as of a program without types
    await assert.rejects(serve(router(GET("/a", ok)), options), {
      name: "TypeError",
      message: /^serve\(app, \{ … \}\) has no option "prot"; did you mean port\? Known: /,
    });
  });

  it("include a port that is text, as the environment has it", async () => {
    const options = { port: "3000" } as unknown as ServeOptions; // as of a program without types
    await assert.rejects(serve(router(GET("/a", ok)), options), {
      name: "RangeError",
      message: 'port must be an integer from 0 to 65535, not the string "3000": write Number(…) around it',
    });
  });
});

describe("what is not an app", () => {
  for (const [given, named] of [
    [GET("/a", ok), "a route"],
    [group("/a"), "a group"],
    [() => ok(), "function"],
    [undefined, "undefined"],
    [null, "null"],
  ] as const) {
    it(`is refused: ${named}`, async () => {
      const app = given as unknown as App; // as of a program without types
      const message = `takes an app, not ${named}: write`;
      await assert.rejects(serve(app), { name: "TypeError", message: `serve(…) ${message} serve(router(…))` });
      assert.throws(() => toNodeListener(app), {
        name: "TypeError",
        message: `toNodeListener(…) ${message} toNodeListener(router(…))`,
      });
    });
  }
});

describe("options of filters", () => {
  // As of a program without types.
  const none = undefined as never;
  for (const [what, make, message] of [
    [
      "cors, of another library",
      () => cors({ origin: "*" } as never),
      /^cors\(\{ … \}\) has no option "origin"; did you mean origins\?/,
    ],
    ["cors, misspelt", () => cors({ origins: ["*"], exposeHeaders: ["A"] } as never), /did you mean exposedHeaders\?/],
    [
      "cors, without options",
      () => cors(none),
      /^cors\(\{ … \}\) takes an object of options, not undefined\. Known: origins, /,
    ],
    ["cors, a text for a list", () => cors({ origins: "*" } as never), /origins must be a list such as \["https:/],
    [
      "rateLimit, of another library",
      () => rateLimit({ max: 5, windowMs: 1000 } as never),
      /has no option "max".* Known: limit, window, /,
    ],
    [
      "rateLimit, a text for a number",
      () => rateLimit({ limit: "5", window: 1 } as never),
      /whole number, 1 or more, not the string "5"$/,
    ],
    ["rateLimit, without options", () => rateLimit(none), /^rateLimit\(\{ … \}\) takes an object of options/],
    [
      "rateLimit, a name of two words",
      () => rateLimit({ limit: 1, window: 1, name: "a b" }),
      /letters, digits and hyphens, such as burst, not "a b"/,
    ],
    [
      "rateLimit.inMemory",
      () => rateLimit.inMemory({ limit: 1, window: 1, maxkeys: 2 } as never),
      /did you mean maxKeys\?/,
    ],
    ["compress, without options", () => compress(none), /^compress\(\{ … \}\) takes an object of options/],
    [
      "compress, without codings",
      () => compress({} as never),
      /takes a list of codings, such as nodeCodings of @waymark\/node/,
    ],
    ["compress, names for codings", () => compress({ codings: ["gzip"] } as never), /takes a list of codings/],
    ["overload", () => overload({ maxInflight: 3 } as never), /did you mean maxInFlight\?/],
    [
      "securityHeaders",
      () => securityHeaders({ contentSecurity: "x" } as never),
      /did you mean contentSecurityPolicy\?/,
    ],
    ["refuseCrossSite", () => refuseCrossSite({ expect: {} } as never), /did you mean except\?/],
    ["access", () => access({} as never), /^access\(…\) takes a function, not object/],
  ] as const) {
    it(`are refused with what is right: ${what}`, () => {
      assert.throws(make, (error) => error instanceof Error && message.test(error.message.replace(/^.*\n- /, "")));
    });
  }
});

it("a promise is not a value for json: its await is missing", () => {
  assert.throws(() => json(Promise.resolve({ a: 1 })), {
    name: "TypeError",
    message: "json(…) takes a value, not a promise: write json(await …)",
  });
});
