import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { serve } from "@waymark/node";
import fc from "fast-check";
import { type App, GET, HttpError, HttpRequest, POST, type Route, route, router, text } from "waymark";
import { caller } from "waymark/filters";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { hashApiKey } from "../../src/access/files/api-key.ts";
import { openAccess } from "../../src/index.ts";

const key = "ps_00000000000000000000000000000000000000000001K0Ecg";

/** What each handler is for; it answers with that, and must be reached by nobody else. */
const routes: readonly Route[] = [
  GET("/public/{name}", () => text("anyone")),
  GET("/person/{id}", () => text("read")),
  POST("/person/{id}", () => text("write")),
  route("/person/{id}/any-method", () => text("write")),
  GET("/person/{id}/secret", () => text("nobody")),
  route("/admin/{*rest}", () => text("nobody")),
  route("/{*rest}", ({ path }) => text(`rest ${path}`)),
];

const rules = [
  { methods: ["GET"], path: "/public/{name}", anyone: true },
  { path: "/person/{id}/secret", scopes: ["nobody:has-it"] },
  { methods: ["GET"], path: "/person/{id}", scopes: ["read"] },
  { path: "/person/**", scopes: ["write"] },
  { path: "/admin/**", scopes: ["nobody:has-it"] },
];

describe("the rules of an access file", () => {
  const folder = openFolder("rules");
  const file = folder.write("access.json", { rules });
  const keys = folder.write("keys.json", {
    keys: [{ name: "crm", hash: hashApiKey(key), scopes: ["read"], createdAt: "2026-01-31T12:00:00Z" }],
  });
  const opened = Promise.withResolvers<App>();
  before(async () => {
    const { filter } = await openAccess({ file, keys });
    opened.resolve(router({ filters: [filter] }, ...routes));
  });

  // The parts of paths that mean something to somebody, and the ways to write them that mean something else to another.
  const parts = ["public", "person", "admin", "any-method", "secret", "1", "x"];
  const spelling = fc
    .constantFrom(...parts)
    .chain((part) =>
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(part) },
        fc.constantFrom(
          ...[
            part.toUpperCase(),
            `${part};v=1`,
            `${part}%20`,
            `${part}%2F`,
            `${part}%2f..`,
            `${part}%5C`,
            `${part}%00`,
          ],
          ...[
            encodeAll(part),
            encodeAll(encodeAll(part)),
            `%2F${part}`,
            `${part}.`,
            `.${part}`,
            `${part}%3Fa`,
            `${part}%23`,
          ],
          ...[
            part.replace("p", "%70"),
            part.replace("a", "%61"),
            part.replace("a", "%C1%A1"),
            part.replace("s", "\u017f"),
          ],
        ),
        fc.constantFrom("", ".", "..", "%2e", "%2E%2e", "%252e%252e", "*", "**", "{id}", "%2F", "%5c", "\\", "//", ";"),
      ),
    );
  const target = fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constant("") },
        fc.constantFrom("http://h", "HTTP://h/..", "/", "//h", "https://u@h"),
      ),
      fc.array(spelling, { minLength: 1, maxLength: 5 }),
      fc.constantFrom("", "", "", "/", "?a", "?/../public/x", "#/public/x", "/.", "/..;/"),
    )
    .map(([prefix, segments, suffix]) => `${prefix}/${segments.join("/")}${suffix}`);
  const method = fc.oneof(fc.constantFrom("GET", "HEAD", "POST", "get", "PUT", "OPTIONS", "PURGE", "DELETE"));
  const fields = fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    { "X-HTTP-Method-Override": "GET" },
    { "X-Original-URL": "/public/x", "X-Rewrite-URL": "/public/x" },
    { Origin: "https://app.example.com", "Access-Control-Request-Method": "GET" },
  );

  it("let reach a handler only what they allow, however path and method are spelled", async () => {
    const app = await opened.promise;
    const reached = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(method, target, fields, fc.boolean(), async (method, target, headers, isReader) => {
        const credentials: Readonly<Record<string, string>> = isReader ? { Authorization: `Bearer ${key}` } : {};
        const request = parse(method, target, { ...headers, ...credentials });
        if (request === undefined) return;
        if (request.path === "/") return; // which is open to everybody
        const response = await app.handle(request);
        if (response.status !== 200) return;
        const body = String(response.body);
        reached.set(body, (reached.get(body) ?? 0) + 1);
        assert(body === "anyone" || (body === "read" && isReader), `${method} ${target} reached ${body}`);
      }),
      { numRuns: runs(5_000) },
    );
    // Or else nothing has been tested.
    assert.deepEqual([...reached.keys()].toSorted(), ["anyone", "read"]);
  });

  it("ask for credentials wherever no rule is, `*` among it", async () => {
    const app = await opened.promise;
    for (const [method, target] of [
      ["OPTIONS", "*"],
      ["GET", "/public"],
      ["GET", "/public/"],
      ["GET", "/public/x/"],
      ["GET", "/Public/x"],
      ["POST", "/public/x"],
      ["GET", "//public/x"],
      ["GET", "/public//x"],
      ["GET", "/public%2Fx"],
    ] as const) {
      assert.equal((await app.handle(HttpRequest.of({ method, target }))).status, 401, `${method} ${target}`);
    }
  });

  it("decide in their order, the first that takes the request", async () => {
    const first = folder.write("first.json", {
      rules: [
        { path: "/a/open", anyone: true },
        { path: "/a/**", scopes: ["nobody:has-it"] },
        { path: "/a/late", anyone: true },
      ],
    });
    const { filter } = await openAccess({ file: first });
    const app = router(
      { filters: [filter] },
      route("/{*rest}", (request) => text(request.attribute(caller)?.id ?? "nobody")),
    );
    const status = async (path: string): Promise<number> => (await app.handle(HttpRequest.of({ target: path }))).status;
    assert.deepEqual(await Promise.all(["/a/open", "/a/late", "/a", "/b"].map(status)), [200, 401, 401, 401]);
  });

  describe("over a socket, where nothing tidies a target up, keep out", () => {
    const targets = [
      ...[
        "/person/1",
        "/public/../person/1",
        "/public/%2e%2e/person/1",
        "/public/..%2Fperson/1",
        "/public/..;/person/1",
      ],
      ...["//person/1", "/public//../person/1", "/person/1/", "/person/1;a", "/person/%31", "/%70erson/1", "/PERSON/1"],
      ...[
        "http://public/person/1",
        "http://h/public/../person/1",
        "/public/x/../../person/1",
        "/public\\..\\person\\1",
      ],
      ...["/person/1?/public/x", "/person/1#/public/x", "person/1", "*", "/admin/x", "/public/%252e%252e/person/1"],
    ];
    let port = 0;
    let close: () => Promise<void> = async () => undefined;
    before(async () => {
      const server = await serve(await opened.promise);
      port = server.port;
      close = () => server.close({ grace: 0 });
    });
    after(() => close());
    for (const target of targets) {
      it(`GET ${target}`, async () => {
        const socket = connect(port, "127.0.0.1");
        socket.end(`GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
        const [answer] = await Promise.all([readText(socket), once(socket, "close")]);
        assert.match(answer, /^HTTP\/1\.1 40[01] /);
      });
    }
  });
});

function encodeAll(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Undefined where the target is malformed, so that there is no request. */
function parse(method: string, target: string, headers: Readonly<Record<string, string>>): HttpRequest | undefined {
  try {
    return HttpRequest.of({ method, target, headers });
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}
