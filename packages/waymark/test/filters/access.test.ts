import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { type App, GET, group, HttpRequest, method, ok, POST, route, router, text } from "waymark";
import { access, type Caller, caller, cors } from "waymark/filters";
import { RawConnection } from "../../../node/test/tools/raw-connection.ts";
import { ask } from "../tools/ask.ts";

const ada: Caller = { id: "user:ada", scopes: ["notes:read"] };
const unauthenticated: access.Decision = { kind: "unauthenticated", challenges: ['Bearer realm="notes"'] };

/** Lets in a client that says that it is Ada; decides later if the request asks for that. */
const guard = access((request) => {
  const decision: access.Decision =
    request.header("Authorization") === "Bearer ada" ? { kind: "allowed", caller: ada } : unauthenticated;
  return request.headers.has("Later") ? Promise.resolve(decision) : decision;
});

const whoever = (request: HttpRequest) => text(request.attribute(caller)?.id ?? "nobody");

/** An app that decides thus, and whose handler must not be reached. */
const deciding = (decision: access.Decision | Promise<access.Decision>): App =>
  router(
    { filters: [access(() => decision)] },
    GET("/", () => {
      throw new Error("The handler was reached");
    }),
  );

describe("access, for a whole app", () => {
  const app = router(
    { filters: [guard] },
    GET("/notes", whoever),
    POST("/notes", ok),
    route(method("OPTIONS"), "/odd", whoever),
  );

  it("gives handlers the caller", async () => {
    for (const headers of [{}, { Later: "yes" }]) {
      const { status, body } = await ask(app, "GET /notes", { Authorization: "Bearer ada", ...headers });
      assert.deepEqual([status, body], [200, "user:ada"]);
    }
  });

  it("answers 401 without content to everything else, so that no answer shows what exists", async () => {
    for (const line of [
      "GET /notes",
      "GET /nothing",
      "DELETE /notes",
      "OPTIONS /notes",
      "POST /notes",
      "PURGE /notes",
    ]) {
      const { status, body, headers } = await ask(app, line, { Accept: "image/png", "If-Match": '"1"', Later: "yes" });
      const fields = ["Cache-Control", "no-store", "WWW-Authenticate", 'Bearer realm="notes"'];
      assert.deepEqual([status, body, headers.flat], [401, null, fields], line);
    }
  });

  it("stops every pre-flight, and refuses none of them", async () => {
    const preflight = { Origin: "https://app.example.com", "Access-Control-Request-Method": "PUT" };
    for (const line of ["OPTIONS /notes", "OPTIONS /odd", "OPTIONS /nothing"]) {
      const { status, body, headers } = await ask(app, line, preflight);
      assert.deepEqual([status, body, headers.has("Allow")], [204, null, false]);
    }
    assert.equal((await ask(app, "GET /notes", preflight)).status, 401);
    assert.equal((await ask(app, "OPTIONS /odd", { Origin: "https://app.example.com" })).status, 401);
  });
});

describe("access", () => {
  const answers: Readonly<Record<string, readonly [access.Decision, readonly (string | number | undefined)[]]>> = {
    "400 to two credentials": [{ kind: "ambiguous" }, [400, "/problems/ambiguous-credentials", undefined, undefined]],
    "401 with each challenge in a field of its own": [
      { kind: "unauthenticated", challenges: ['Bearer realm="a"', 'Basic realm="a", charset="UTF-8"'] },
      [401, undefined, 'Bearer realm="a", Basic realm="a", charset="UTF-8"', undefined],
    ],
    "403 where the caller is known": [{ kind: "forbidden" }, [403, "/problems/forbidden", undefined, undefined]],
    "403 with a challenge that says what it takes": [
      { kind: "forbidden", challenges: ['Bearer error="insufficient_scope"'] },
      [403, "/problems/forbidden", 'Bearer error="insufficient_scope"', undefined],
    ],
    "429 and when to try again": [
      { kind: "throttled", retryAfter: 7 },
      [429, "/problems/too-many-attempts", undefined, "7"],
    ],
    "503 and when to try again": [
      { kind: "unavailable", retryAfter: 5 },
      [503, "/problems/access-undecided", undefined, "5"],
    ],
  };
  for (const [name, [decision, expected]] of Object.entries(answers)) {
    it(`answers ${name}, and keeps caches out of it`, async () => {
      for (const decided of [decision, Promise.resolve(decision)]) {
        const { status, headers, body } = await ask(deciding(decided), "GET /");
        const type = headers.has("Content-Type") ? JSON.parse(String(body)).type : undefined;
        assert.deepEqual([status, type, headers.get("WWW-Authenticate"), headers.get("Retry-After")], expected);
        assert.equal(headers.get("Cache-Control"), "no-store");
      }
    });
  }

  it("answers 500 and lets nobody in when the decision fails, or is not a decision", async () => {
    const faults: unknown[] = [];
    for (const decide of [
      () => {
        throw new Error("The keys are gone");
      },
      async () => Promise.reject(new Error("The keys are gone")),
      // As JavaScript may have it: neither is a decision.
      () => true as unknown as access.Decision,
      async () => undefined as unknown as access.Decision,
      () => ({ kind: "Allowed" }) as unknown as access.Decision,
    ]) {
      const options = { filters: [access(decide)], onFault: (fault: unknown) => faults.push(fault) };
      assert.equal((await ask(router(options, GET("/", ok)), "GET /")).status, 500);
    }
    assert.equal(faults.length, 5);
  });

  it("refuses two Authorization fields before it decides", async () => {
    const app = router({ filters: [guard] }, GET("/", ok));
    const { status, body } = await ask(app, "GET /", { Authorization: ["Bearer ada", "Bearer ada"] });
    assert.equal(status, 400);
    assert.equal(JSON.parse(String(body)).type, "/problems/ambiguous-credentials");
  });

  for (const [what, credentials, status] of [
    ["refuses those that a web Headers has joined", "Bearer ada, Bearer ada", 400],
    ["refuses two schemes on one line", "Negotiate, Bearer ada", 400],
    ["decides on parameters", 'Digest username="Bearer a, b c" , realm="\\", x", nonce = 1', 401],
  ] as const) {
    it(`${what}: ${credentials}`, async () => {
      const app = router({ filters: [guard] }, GET("/", ok));
      const headers = new Headers({ Authorization: credentials });
      assert.equal((await app.fetch(new Request("http://a/", { headers }))).status, status);
    });
  }

  it("stays synchronous where the decision is", () => {
    const response = router({ filters: [guard] }, GET("/", ok)).handle(HttpRequest.of());
    assert(!(response instanceof Promise));
  });

  it("has no caller where anyone may pass, and gives an inner one in place of an outer", async () => {
    const anyone = access(() => ({ kind: "allowed" }));
    assert.equal((await ask(router({ filters: [anyone] }, GET("/", whoever)), "GET /")).body, "nobody");
    const grace = access(() => ({ kind: "allowed", caller: { id: "user:grace", scopes: [] } }));
    const nested = router(
      { filters: [guard] },
      group(anyone, GET("/outer", whoever)),
      group(grace, GET("/inner", whoever)),
    );
    assert.equal((await ask(nested, "GET /outer", { Authorization: "Bearer ada" })).body, "user:ada");
    assert.equal((await ask(nested, "GET /inner", { Authorization: "Bearer ada" })).body, "user:grace");
  });

  it("refuses before the content comes, and does not ask for it", async () => {
    const server = await serve(router({ filters: [guard] }, POST("/notes", ok)));
    const connection = new RawConnection(server.port);
    connection.sendLines("POST /notes HTTP/1.1", "Host: a", "Content-Length: 1000000", "Expect: 100-continue", "");
    // Neither 100 nor a wait for content that is never sent.
    assert.equal((await connection.response()).status, 401);
    connection.socket.destroy();
    await server.close({ grace: 0 });
  });

  it("in a group applies to that group only", async () => {
    const app = router(group("/notes", guard, GET(whoever)), GET("/open", whoever));
    assert.equal((await ask(app, "GET /notes")).status, 401);
    assert.equal((await ask(app, "GET /open")).body, "nobody");
    // What the router refuses is not in the group.
    assert.equal((await ask(app, "PUT /notes")).status, 405);
  });

  it("behind cors lets scripts read that they are refused", async () => {
    const page = "https://app.example.com";
    const app = router({ filters: [cors({ origins: [page] }), guard] }, GET("/notes", whoever));
    const refused = await ask(app, "GET /notes", { Origin: page });
    assert.deepEqual([refused.status, refused.headers.get("Access-Control-Allow-Origin")], [401, page]);
    assert.match(refused.headers.get("Access-Control-Expose-Headers") ?? "", /WWW-Authenticate/);
    const preflight = await ask(app, "OPTIONS /notes", { Origin: page, "Access-Control-Request-Method": "GET" });
    assert.equal(preflight.headers.get("Access-Control-Allow-Methods"), "GET, HEAD, OPTIONS");
  });
});
