import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { type App, GET, HttpError, HttpRequest, POST, type Route, route, router, text } from "waymark";
import { caller } from "waymark/filters";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { openAccess } from "../../src/index.ts";
import { storedKey, testKey } from "./guarded.ts";

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
  const keys = folder.write("keys.json", { keys: [storedKey(["read"])] });
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
          ...[";v=1", "%20", "%2F", "%2f..", "%5C", "%00", ".", "%3Fa", "%23"].map((end) => part + end),
          ...[part.toUpperCase(), `%2F${part}`, `.${part}`, encodeAll(part), encodeAll(encodeAll(part))],
          ...[part.replace("p", "%70"), part.replace("a", "%61"), part.replace("a", "%C1%A1")],
          part.replace("s", "\u017f"),
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
        const credentials: Readonly<Record<string, string>> = isReader ? { Authorization: `Bearer ${testKey}` } : {};
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

  it("ask for credentials wherever no rule is, `*` among it, and however a target hides its path", async () => {
    const app = await opened.promise;
    for (const line of [
      ...["OPTIONS *", "GET /public", "GET /public/", "GET /public/x/", "GET /Public/x", "POST /public/x"],
      ...[
        "GET //public/x",
        "GET /public//x",
        "GET /public%2Fx",
        "GET /public/..%2Fperson/1",
        "GET /public/..;/person/1",
      ],
      ...["GET http://public/person/1", "GET /person/1?/public/x"],
      ...["GET /public/%252e%252e/person/1", "GET //person/1", "GET /person/%31", "GET /%70erson/1", "GET /admin/x"],
    ]) {
      const [method = "", target = ""] = line.split(" ");
      assert.equal((await app.handle(HttpRequest.of({ method, target }))).status, 401, line);
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
