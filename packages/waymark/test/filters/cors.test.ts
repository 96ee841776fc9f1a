import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type App, GET, group, HttpResponse, noContent, PUT, route, router, text } from "waymark";
import { access, cors } from "waymark/filters";
import { ask, asked, fetched } from "../tools/ask.ts";
import { corsApp } from "./cors-app.ts";

const page = "https://app.example.com";
const listed: cors.Policy = { origins: [page, "https://*.example.org"] };
const anybody: cors.Policy = { origins: ["*"] };

/** Every response that is not the answer to a pre-flight. */
const actual: readonly (readonly [line: string, headers: Readonly<Record<string, string>>, status: number])[] = [
  ["GET /notes", {}, 200],
  ["HEAD /notes", {}, 200],
  ["POST /notes", { "Content-Type": "application/json" }, 204],
  ["GET /later", {}, 200],
  ["GET /notes", { "If-None-Match": '"1"' }, 304],
  ["GET /notes/7", {}, 404],
  ["GET /nowhere", {}, 404],
  ["GET /invalid", {}, 400],
  ["GET /closed", {}, 401],
  ["GET /closed", { Authorization: "Bearer 17" }, 200],
  ["DELETE /notes", {}, 405],
  ["GET /notes", { Accept: "image/png" }, 406],
  ["GET /broken", {}, 500],
  ["GET /broken-later", {}, 500],
  ["PURGE /notes", {}, 501],
  ["OPTIONS /notes", {}, 204],
  ["OPTIONS /nowhere", {}, 404],
  ["OPTIONS /declared", {}, 200],
  ["GET /notes", { "Access-Control-Request-Method": "GET" }, 200],
  ["GET /proxied", {}, 200],
];

const preflight = (method: string) => ({ Origin: page, "Access-Control-Request-Method": method });

/** The status of an answer, its fields of the CORS protocol, and how often it says that it depends on the origin. */
async function sharing(app: App, line: string, headers: Readonly<Record<string, string>>) {
  const response = await ask(app, line, headers);
  const shared = [...response.headers].filter(([name]) => name.startsWith("Access-Control-"));
  const vary = (response.header("Vary") ?? "").toLowerCase().split(", ");
  return [response.status, Object.fromEntries(shared), vary.filter((member) => member === "origin").length] as const;
}

describe("cors", () => {
  const exposed = { "Access-Control-Expose-Headers": cors.defaults.exposedHeaders.join(", ") };
  const [strict, open] = [listed, anybody].map((policy) => corsApp(policy)) as [App, App]; // each
  for (const [line, headers, status] of actual) {
    const what = `${status} to ${line} ${JSON.stringify(headers)}`;

    it(`lets an allowed origin read ${what}, and says that it depends on the origin to whoever asks`, async () => {
      const fields = { "Access-Control-Allow-Origin": page, ...exposed };
      assert.deepEqual(await sharing(strict, line, { ...headers, Origin: page }), [status, fields, 1]);
      for (const origin of [{ Origin: "https://other.example" }, {}]) {
        assert.deepEqual(await sharing(strict, line, { ...headers, ...origin }), [status, {}, 1]);
      }
    });

    it(`lets everybody read ${what}, and does not depend on the origin`, async () => {
      const fields = { "Access-Control-Allow-Origin": "*", ...exposed };
      // What the handler itself says of Vary stays.
      const depends = line === "GET /proxied" ? 1 : 0;
      for (const origin of [{ Origin: page }, { Origin: "null" }, {}]) {
        assert.deepEqual(await sharing(open, line, { ...headers, ...origin }), [status, fields, depends]);
      }
    });
  }

  it("lets the refusal of a malformed target be read as well", async () => {
    const { status, headers } = await fetched(strict, "GET /%zz", { Origin: page });
    assert.deepEqual([status, headers["access-control-allow-origin"]], [400, page]);
  });

  const preflights: readonly (readonly [path: string, method: string, methods: string | undefined])[] = [
    ["/notes", "POST", "GET, HEAD, POST, OPTIONS"],
    ["/notes", "DELETE", "GET, HEAD, POST, OPTIONS"],
    ["/notes/7?limit=1", "PATCH", "PUT, PATCH, DELETE, GET, HEAD, OPTIONS"],
    ["/closed", "GET", "GET, HEAD, OPTIONS"],
    ["/declared", "PUT", "OPTIONS, PUT"],
    ["/any", "QUERY", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY"],
    ["/nowhere", "PUT", undefined],
  ];
  for (const [path, method, methods] of preflights) {
    it(`answers a pre-flight of ${method} ${path} from the routes, without content`, async () => {
      const { status, headers, body } = await ask(strict, `OPTIONS ${path}`, { ...preflight(method), Accept: "*/*" });
      assert.deepEqual([status, body], [204, null]);
      assert.deepEqual(Object.fromEntries(headers), {
        Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        "Access-Control-Allow-Origin": page,
        "Access-Control-Allow-Headers": cors.defaults.requestHeaders.join(", "),
        "Access-Control-Max-Age": "7200",
        ...(methods && { "Access-Control-Allow-Methods": methods }),
      });
    });
  }

  it("gives nothing to the pre-flight of an origin that is not allowed", async () => {
    const asking = { ...preflight("POST"), Origin: "https://other.example" };
    const { status, headers } = await ask(strict, "OPTIONS /notes", asking);
    const vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    assert.deepEqual([status, headers.flat], [204, ["Vary", vary]]);
  });

  it("answers the pre-flight of everybody without depending on the origin", async () => {
    const { headers } = await ask(open, "OPTIONS /notes", preflight("POST"));
    assert.equal(headers.get("Access-Control-Allow-Origin"), "*");
    assert.equal(headers.get("Vary"), "Access-Control-Request-Method, Access-Control-Request-Headers");
  });

  it("leaves an OPTIONS that is no pre-flight to the routes", async () => {
    const { headers } = await ask(strict, "OPTIONS /notes", { Origin: page });
    assert.equal(headers.get("Allow"), "GET, HEAD, POST, OPTIONS");
    const withoutOrigin = await ask(strict, "OPTIONS /declared", { "Access-Control-Request-Method": "PUT" });
    assert.equal(withoutOrigin.body, "the handler ran");
  });

  it("says all that its policy says", async () => {
    const app = corsApp({
      origins: [page],
      methods: ["PUT", "PURGE", "GET"],
      requestHeaders: ["X-One", "X-Two"],
      exposedHeaders: [],
      credentials: true,
      maxAge: 0,
    });
    const shared = { "Access-Control-Allow-Origin": page, "Access-Control-Allow-Credentials": "true" };
    const fields = {
      ...shared,
      "Access-Control-Allow-Headers": "X-One, X-Two",
      "Access-Control-Max-Age": "0",
      "Access-Control-Allow-Methods": "PUT, GET",
    };
    assert.deepEqual(await sharing(app, "OPTIONS /notes/7", preflight("PUT")), [204, fields, 1]);
    assert.deepEqual(await sharing(app, "GET /notes", { Origin: page }), [200, shared, 1]);
  });
});

describe("an origin", () => {
  const policy: cors.Policy = {
    origins: [
      "https://good.example",
      "http://localhost:3000",
      "http://[::1]:3000",
      "moz-extension://0b7c6a2e-9c1f-4f5e-8f3e-1c2d3e4f5a6b",
      "https://*.wild.example",
      "http://*.ported.example:8080",
      { name: "tenants", allows: (origin) => /^https:\/\/tenant-\d+\.example$/.test(origin) },
    ],
  };
  const allowed = [
    ...["https://good.example", "http://localhost:3000", "http://[::1]:3000", "https://tenant-7.example"],
    ...["moz-extension://0b7c6a2e-9c1f-4f5e-8f3e-1c2d3e4f5a6b", "http://a.ported.example:8080"],
    ...["https://a.wild.example", "https://a.b.wild.example", "https://xn--mnchen-3ya.wild.example"],
  ];
  const refused = [
    ...["null", "", "*", "http://good.example", "https://good.example/", "https://GOOD.example"],
    ...["HTTPS://good.example", "https://good.example:443", "https://good.example:8443", "https://goodXexample"],
    ...["https://good.example.evil.com", "https://evilgood.example", "https://sub.good.example", "http://localhost"],
    ...["https://good.example, https://good.example", "https://good.example https://good.example"],
    ...["http://localhost:30000", "https://wild.example", "https://.wild.example", "https://a..wild.example"],
    ...["https://evilwild.example", "https://a.wildXexample", "https://a.wild.example.evil.com"],
    ...["https://evil.com/.wild.example", "https://evil.com?.wild.example", "https://evil.com#.wild.example"],
    ...["https://evil.com:1.wild.example", "https://user@a.wild.example", "https://a.wild.example:8443"],
    ...["http://a.wild.example", "https://A.wild.example", "https://*.wild.example", "http://a.ported.example"],
    ...["http://a.ported.example:80808", "https://tenant-x.example"],
  ];
  const app = router(
    { filters: [cors(policy)] },
    GET(() => text("")),
  );
  for (const origin of [...allowed, ...refused]) {
    const isAllowed = allowed.includes(origin);
    it(`${isAllowed ? "may" : "may not"} be ${JSON.stringify(origin)}`, async () => {
      const { headers } = await ask(app, "GET /", { Origin: origin });
      assert.equal(headers.get("Access-Control-Allow-Origin"), isAllowed ? origin : undefined);
    });
  }

  it("is refused when it comes in several lines", async () => {
    const { headers } = await ask(app, "GET /", { Origin: ["https://good.example", "https://good.example"] });
    assert.equal(headers.get("Access-Control-Allow-Origin"), undefined);
  });

  it("comes to a test only as browsers send it", async () => {
    const seen: string[] = [];
    const allows = (origin: string): boolean => seen.push(origin) > 0;
    const asking = router(
      { filters: [cors({ origins: [{ name: "all", allows }] })] },
      GET(() => text("")),
    );
    for (const origin of [...allowed, ...refused]) await ask(asking, "GET /", { Origin: origin });
    assert.ok(seen.includes("https://good.example") && seen.includes("https://good.example:8443"));
    for (const origin of seen) assert.match(origin, /^[a-z-]+:\/\/[a-z0-9.:[\]-]+$/);
  });

  it("is a fault where the test returns a promise: the handler does not run", async () => {
    const told: unknown[] = [];
    const tests = [{ name: "tenants", allows: (async () => false) as unknown as () => boolean }]; // As in JavaScript.
    const asking = router(
      { filters: [cors({ origins: tests })], onFault: (error) => told.push(error) },
      GET(() => assert.fail("the handler ran")),
    );
    const response = await ask(asking, "GET /", { Origin: page });
    assert.deepEqual([response.status, response.headers.has("Access-Control-Allow-Origin")], [500, false]);
    assert.deepEqual(told.map(String), ['TypeError: The origin test "tenants" gave object, not a boolean']);
  });

  it("below a wildcard differs from it by whole labels only", () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/);
    const host = fc.array(label, { maxLength: 3 });
    const tail = fc.constantFrom("", ".evil.com", ":8443", "/", ".", "x");
    const joint = fc.constantFrom(".", "", "-", "..", "@", ":", "/", "#", "?", "\\", ",");
    fc.assert(
      fc.property(host, joint, tail, (labels, glue, end) => {
        const origin = `https://${[labels.join("."), "wild.example"].join(glue)}${end}`;
        const expected = labels.length > 0 && glue === "." && end === "";
        const response = app.handle(asked("GET /", { Origin: origin }));
        assert.ok(response instanceof HttpResponse);
        assert.equal(response.headers.has("Access-Control-Allow-Origin"), expected, origin);
      }),
    );
  });
});

describe("a pre-flight that no cors answers", () => {
  const ran: string[] = [];
  const everyMethod = route("/proxied", ({ method }) => {
    ran.push(method);
    return text("the handler ran");
  });
  const statusOf = async (app: App, target: string): Promise<number> =>
    (await ask(app, `OPTIONS ${target}`, preflight("PUT"))).status;

  it("is an OPTIONS like any other: a route for every method takes it, one for other methods does not", async () => {
    const app = router(everyMethod, PUT("/notes", noContent));
    assert.equal(await statusOf(app, "/proxied"), 200);
    assert.deepEqual(ran.splice(0), ["OPTIONS"]);
    assert.equal(await statusOf(app, "/notes"), 204);
  });

  it("goes no further than access, in a group as well", async () => {
    const guard = access(() => ({ kind: "allowed" }));
    assert.equal(await statusOf(router({ filters: [guard] }, everyMethod), "/proxied"), 204);
    assert.equal(await statusOf(router(group(guard, everyMethod)), "/proxied"), 204);
    assert.deepEqual(ran, []);
  });
});
