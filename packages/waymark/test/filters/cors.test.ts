import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type App,
  accept,
  around,
  DELETE,
  empty,
  GET,
  group,
  HttpError,
  HttpResponse,
  json,
  method,
  noContent,
  PATCH,
  POST,
  PUT,
  problem,
  problemTypes,
  type RouterOptions,
  route,
  router,
  text,
} from "waymark";
import { access, cors } from "waymark/filters";
import { type Answer, type Ask, transports } from "../../../node/test/tools/transports.ts";
import { ask, asked } from "../tools/ask.ts";

const page = "https://app.example.com";
const listed: cors.Policy = { origins: [page, "https://*.example.org"] };
const anybody: cors.Policy = { origins: ["*"] };

/** What an app with this policy does in every way that a request can go. */
function appWith(policy: cors.Policy, options: RouterOptions = {}): App {
  return router(
    {
      ...options,
      filters: [
        cors(policy),
        around((request, next) =>
          request.path === "/closed" && !request.headers.has("Authorization") ? empty(401) : next(request),
        ),
        ...(options.filters ?? []),
      ],
    },
    group(
      "/notes",
      GET(accept("application/json"), (request) =>
        request.header("If-None-Match") === '"1"'
          ? new HttpResponse(304, { ETag: '"1"' })
          : json([]).withHeader("ETag", '"1"'),
      ),
      POST(() => noContent()),
    ),
    group(
      "/notes/{id}",
      PUT(noContent),
      PATCH(noContent),
      DELETE(noContent),
      GET(() => empty(404)),
    ),
    GET("/closed", () => text("open")),
    GET("/invalid", () => {
      throw new HttpError(problem(problemTypes.invalidContent));
    }),
    GET("/later", async () => text("later")),
    GET("/broken", () => {
      throw new Error("secret");
    }),
    GET("/broken-later", async () => {
      throw new Error("secret");
    }),
    route(method("OPTIONS"), "/declared", () => text("the handler ran")),
    PUT("/declared", noContent),
    route("/any", () => noContent()),
    GET("/proxied", () => new Response("from elsewhere", { headers: foreignFields })),
  );
}

const foreignFields = {
  "Access-Control-Allow-Origin": "https://elsewhere.example",
  "Access-Control-Allow-Credentials": "true",
  "Access-Control-Expose-Headers": "X-Elsewhere",
  Vary: "Accept-Encoding, origin",
};

/** Every response that is not the answer to a pre-flight. */
const actual: readonly (readonly [line: string, headers: Readonly<Record<string, string>>, status: number])[] = [
  ["GET /notes", {}, 200],
  ["HEAD /notes", {}, 200],
  ["POST /notes", {}, 204],
  ["GET /later", {}, 200],
  ["GET /notes", { "If-None-Match": '"1"' }, 304],
  ["GET /notes/7", {}, 404],
  ["GET /%zz", {}, 400],
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

const preflight = (method: string, headers: Readonly<Record<string, string>> = {}) => ({
  Origin: page,
  "Access-Control-Request-Method": method,
  ...headers,
});

/** The fields of the CORS protocol in an answer. */
function sharing({ headers }: Answer): Answer["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")));
}

const membersOf = (value: string | undefined): readonly string[] =>
  value === undefined ? [] : value.split(", ").map((member) => member.toLowerCase());

for (const [transport, run] of Object.entries(transports)) {
  const using = (policy: cors.Policy, check: (ask: Ask) => Promise<void>) => () =>
    run(appWith(policy, { onFault: () => {} }), check);

  describe(`cors (${transport})`, () => {
    const exposed = cors.defaults.exposedHeaders.join(", ");
    for (const [line, headers, status] of actual) {
      const what = `${status} to ${line} ${JSON.stringify(headers)}`;

      it(
        `lets an allowed origin read ${what}`,
        using(listed, async (ask) => {
          const answer = await ask(line, { ...headers, Origin: page });
          assert.equal(answer.status, status);
          assert.deepEqual(sharing(answer), {
            "access-control-allow-origin": page,
            "access-control-expose-headers": exposed,
          });
          assert.equal(membersOf(answer.headers["vary"]).filter((member) => member === "origin").length, 1);
        }),
      );

      it(
        `says nothing to another origin or none, but that it depends on it, with ${what}`,
        using(listed, async (ask) => {
          for (const origin of [{ Origin: "https://other.example" }, {}]) {
            const answer = await ask(line, { ...headers, ...origin });
            assert.equal(answer.status, status);
            assert.deepEqual(sharing(answer), {});
            assert.equal(membersOf(answer.headers["vary"]).filter((member) => member === "origin").length, 1);
          }
        }),
      );

      it(
        `lets everybody read ${what}, and does not depend on the origin`,
        using(anybody, async (ask) => {
          for (const origin of [{ Origin: page }, { Origin: "null" }, {}]) {
            const answer = await ask(line, { ...headers, ...origin });
            assert.equal(answer.status, status);
            assert.deepEqual(sharing(answer), {
              "access-control-allow-origin": "*",
              "access-control-expose-headers": exposed,
            });
            // What the handler itself says of Vary stays.
            if (line !== "GET /proxied") assert.ok(!membersOf(answer.headers["vary"]).includes("origin"));
          }
        }),
      );
    }

    const preflights: readonly (readonly [path: string, method: string, methods: string | undefined])[] = [
      ["/notes", "POST", "GET, HEAD, POST, OPTIONS"],
      ["/notes", "GET", "GET, HEAD, POST, OPTIONS"],
      ["/notes", "DELETE", "GET, HEAD, POST, OPTIONS"],
      ["/notes/7", "PATCH", "PUT, PATCH, DELETE, GET, HEAD, OPTIONS"],
      ["/notes/7?limit=1", "PATCH", "PUT, PATCH, DELETE, GET, HEAD, OPTIONS"],
      ["/closed", "GET", "GET, HEAD, OPTIONS"],
      ["/declared", "PUT", "OPTIONS, PUT"],
      ["/any", "QUERY", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY"],
      ["/nowhere", "PUT", undefined],
    ];
    for (const [path, method, methods] of preflights) {
      it(
        `answers a pre-flight of ${method} ${path} from the routes, without content`,
        using(listed, async (ask) => {
          const answer = await ask(`OPTIONS ${path}`, preflight(method, { Accept: "*/*" }));
          assert.equal(answer.status, 204);
          assert.equal(answer.text, "");
          assert.deepEqual(sharing(answer), {
            "access-control-allow-origin": page,
            "access-control-allow-headers": cors.defaults.requestHeaders.join(", "),
            "access-control-max-age": "7200",
            ...(methods && { "access-control-allow-methods": methods }),
          });
          assert.equal(answer.headers["vary"], "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
        }),
      );
    }

    it(
      "gives nothing to the pre-flight of an origin that is not allowed",
      using(listed, async (ask) => {
        const answer = await ask("OPTIONS /notes", preflight("POST", { Origin: "https://other.example" }));
        assert.equal(answer.status, 204);
        assert.deepEqual(sharing(answer), {});
        assert.equal(answer.headers["vary"], "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
      }),
    );

    it(
      "answers the pre-flight of everybody without depending on the origin",
      using(anybody, async (ask) => {
        const answer = await ask("OPTIONS /notes", preflight("POST"));
        assert.equal(sharing(answer)["access-control-allow-origin"], "*");
        assert.equal(answer.headers["vary"], "Access-Control-Request-Method, Access-Control-Request-Headers");
      }),
    );

    it(
      "leaves an OPTIONS that is no pre-flight to the routes",
      using(listed, async (ask) => {
        assert.equal((await ask("OPTIONS /notes", { Origin: page })).headers["allow"], "GET, HEAD, POST, OPTIONS");
        const withoutOrigin = await ask("OPTIONS /declared", { "Access-Control-Request-Method": "PUT" });
        assert.equal(withoutOrigin.text, "the handler ran");
      }),
    );

    it(
      "says all that its policy says",
      using(
        {
          origins: [page],
          methods: ["PUT", "PURGE", "GET"],
          requestHeaders: ["X-One", "X-Two"],
          exposedHeaders: [],
          credentials: true,
          maxAge: 0,
        },
        async (ask) => {
          const fields = {
            "access-control-allow-origin": page,
            "access-control-allow-credentials": "true",
            "access-control-allow-headers": "X-One, X-Two",
            "access-control-max-age": "0",
            "access-control-allow-methods": "PUT, GET",
          };
          assert.deepEqual(sharing(await ask("OPTIONS /notes/7", preflight("PUT"))), fields);
          assert.deepEqual(sharing(await ask("GET /notes", { Origin: page })), {
            "access-control-allow-origin": page,
            "access-control-allow-credentials": "true",
          });
        },
      ),
    );
  });
}

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
  const cases: Readonly<Record<string, boolean>> = {
    "https://good.example": true,
    "http://localhost:3000": true,
    "http://[::1]:3000": true,
    "moz-extension://0b7c6a2e-9c1f-4f5e-8f3e-1c2d3e4f5a6b": true,
    "https://tenant-7.example": true,
    "https://a.wild.example": true,
    "https://a.b.wild.example": true,
    "https://xn--mnchen-3ya.wild.example": true,
    "http://a.ported.example:8080": true,

    null: false,
    "": false,
    "*": false,
    "http://good.example": false,
    "https://good.example/": false,
    "https://GOOD.example": false,
    "HTTPS://good.example": false,
    "https://good.example:443": false,
    "https://good.example:8443": false,
    "https://good.example.evil.com": false,
    "https://goodXexample": false,
    "https://evilgood.example": false,
    "https://sub.good.example": false,
    "https://good.example, https://good.example": false,
    "https://good.example https://good.example": false,
    "http://localhost": false,
    "http://localhost:30000": false,
    "https://wild.example": false,
    "https://.wild.example": false,
    "https://a..wild.example": false,
    "https://evilwild.example": false,
    "https://a.wildXexample": false,
    "https://a.wild.example.evil.com": false,
    "https://evil.com/.wild.example": false,
    "https://evil.com?.wild.example": false,
    "https://evil.com#.wild.example": false,
    "https://evil.com:1.wild.example": false,
    "https://user@a.wild.example": false,
    "https://a.wild.example:8443": false,
    "http://a.wild.example": false,
    "https://A.wild.example": false,
    "https://*.wild.example": false,
    "http://a.ported.example": false,
    "http://a.ported.example:80808": false,
    "https://tenant-x.example": false,
  };
  const app = router(
    { filters: [cors(policy)] },
    GET(() => text("")),
  );
  for (const [origin, allowed] of Object.entries(cases)) {
    it(`${allowed ? "may" : "may not"} be ${JSON.stringify(origin)}`, async () => {
      const { headers } = await ask(app, "GET /", { Origin: origin });
      assert.equal(headers.get("Access-Control-Allow-Origin"), allowed ? origin : undefined);
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
    for (const origin of Object.keys(cases)) await ask(asking, "GET /", { Origin: origin });
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
  const preflight = { Origin: page, "Access-Control-Request-Method": "PUT" };
  const ran: string[] = [];
  const everyMethod = route("/proxied", ({ method }) => {
    ran.push(method);
    return text("the handler ran");
  });
  const statusOf = async (app: App, target: string): Promise<number> =>
    (await ask(app, `OPTIONS ${target}`, preflight)).status;

  it("is an OPTIONS like any other: a route for every method takes it, one for other methods does not", async () => {
    ran.length = 0;
    const app = router(everyMethod, PUT("/notes", noContent));
    assert.equal((await ask(app, "OPTIONS /proxied", preflight)).body, "the handler ran");
    assert.deepEqual(ran, ["OPTIONS"]);
    assert.equal(await statusOf(app, "/notes"), 204);
  });

  it("goes no further than access, in a group as well", async () => {
    ran.length = 0;
    const guard = access(() => ({ kind: "allowed" }));
    assert.equal(await statusOf(router({ filters: [guard] }, everyMethod), "/proxied"), 204);
    assert.equal(await statusOf(router(group(guard, everyMethod)), "/proxied"), 204);
    assert.deepEqual(ran, []);
  });
});
