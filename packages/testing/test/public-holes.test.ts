import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type App,
  around,
  DELETE,
  empty,
  type Filter,
  GET,
  group,
  method,
  open,
  PATCH,
  POST,
  PUT,
  route,
  router,
} from "waymark";

// Holes that were found in public apps, each in the shape that its routes had: a route without the guard of its neighbours.

const nothing = () => empty(204);
const refusing = (status: 401 | 403): Filter =>
  around(() => empty(status), { describes: { responses: { [status]: { description: "Not you." } } } });
const signedIn = refusing(401);
const nobody = refusing(403);

/** Returns the routes that an app is found to leave open. */
const holesOf = (app: App): readonly string[] =>
  app.findings.map(({ kind, message }) => `${kind}: ${message.replace(/ is open to everybody.*/s, "")}`);

const unguarded = (...routes: readonly string[]) => routes.map((each) => `unguarded: ${each}`);

describe("the hole that was published is found, and nothing else, in", () => {
  it("OWASP Juice Shop, where whoever comes changes products (its challenges Product Tampering and Access Log)", () => {
    const app = router(
      group(
        "/api/Products",
        group(open("the shop window"), GET(nothing), GET("/{id}", nothing)),
        group(signedIn, POST(nothing)),
        PUT("/{id}", nothing),
        group(nobody, DELETE("/{id}", nothing)),
      ),
      group("/api/BasketItems", signedIn, GET(nothing), POST(nothing), PUT("/{id}", nothing), DELETE("/{id}", nothing)),
      group(
        "/api/Users",
        POST(open("one registers by it"), nothing),
        group(signedIn, GET(nothing), GET("/{id}", nothing)),
        group("/{id}", nobody, PUT(nothing), DELETE(nothing)),
      ),
      group("/api/Feedbacks", open("the carousel, and its form"), GET(nothing), POST(nothing)),
      group("/api/Feedbacks/{id}", signedIn, GET(nothing), DELETE(nothing)),
      group("/rest/basket/{id}", signedIn, GET(nothing), POST("/checkout", nothing)),
      POST("/rest/user/login", open("one signs in by it"), nothing),
      GET("/support/logs/{file}", nothing),
    );
    assert.deepEqual(holesOf(app), unguarded("PUT /api/Products/{id}", "GET /support/logs/{file}"));
  });

  it("Langflow, where three of the routes below /monitor lack what the others depend on (CVE-2026-21445)", () => {
    const app = router(
      group(
        "/api/v1/monitor",
        group(signedIn, GET("/builds", nothing), DELETE("/builds", nothing)),
        GET("/messages", nothing),
        group(signedIn, DELETE("/messages", nothing), GET("/messages/sessions", nothing)),
        DELETE("/messages/session/{id}", nothing),
        GET("/transactions", nothing),
      ),
      GET("/health", open("monitors"), nothing),
    );
    assert.deepEqual(
      holesOf(app),
      unguarded(
        "GET /api/v1/monitor/messages",
        "DELETE /api/v1/monitor/messages/session/{id}",
        "GET /api/v1/monitor/transactions",
      ),
    );
  });

  it("Open WebUI, where the tools beside the download of the database ask for nobody (CVE-2024-12537)", () => {
    // The CVE is about the formatter; later versions guard the other three as well.
    const app = router(
      group(
        "/api/v1/utils",
        GET("/gravatar", nothing),
        POST("/code/format", nothing),
        POST("/markdown", nothing),
        POST("/pdf", nothing),
        group(signedIn, GET("/db/download", nothing), GET("/litellm/config", nothing)),
      ),
      group("/api/v1/chats", signedIn, GET(nothing), POST("/new", nothing), DELETE("/{id}", nothing)),
      POST("/api/v1/auths/signin", open("one signs in by it"), nothing),
    );
    assert.deepEqual(
      holesOf(app),
      unguarded(
        "GET /api/v1/utils/gravatar",
        "POST /api/v1/utils/code/format",
        "POST /api/v1/utils/markdown",
        "POST /api/v1/utils/pdf",
      ),
    );
  });

  it("n8n-mcp, where only one method of /mcp authenticates (GHSA-75hx-xj24-mqrw)", () => {
    const app = router(
      GET("/", open("it names the endpoints"), nothing),
      GET("/health", nothing),
      group("/mcp", group(signedIn, POST(nothing)), GET(nothing), DELETE(nothing), POST("/test", nothing)),
    );
    assert.deepEqual(holesOf(app), unguarded("GET /health", "GET /mcp", "DELETE /mcp", "POST /mcp/test"));
  });

  it("Flowise, whose one guard lets by what begins like a list of paths (CVE-2026-30824)", () => {
    const letBy = ["/api/v1/ping", "/api/v1/public-chatflows", "/api/v1/prediction", "/api/v1/nvidia-nim"];
    const guard = around(
      (request, next) => (letBy.some((path) => request.path.startsWith(path)) ? next(request) : empty(401)),
      {
        describes: ({ path }) =>
          letBy.some((each) => path.startsWith(each)) ? {} : { responses: { 401: { description: "Not you." } } },
      },
    );
    const app = router(
      { filters: [guard] },
      group(
        "/api/v1",
        group("/chatflows", GET(nothing), POST(nothing), PUT("/{id}", nothing), DELETE("/{id}", nothing)),
        group("/apikey", GET(nothing), POST(nothing), DELETE("/{id}", nothing)),
        GET("/ping", open("monitors"), nothing),
        GET("/public-chatflows/{id}", open("who has its address sees a chat that is public"), nothing),
        POST("/prediction/{id}", open("a chat on the page of somebody else"), nothing),
        group(
          "/nvidia-nim",
          GET("/get-token", nothing),
          POST("/start-container", nothing),
          POST("/stop-container", nothing),
        ),
      ),
    );
    assert.deepEqual(
      holesOf(app),
      unguarded(
        "GET /api/v1/nvidia-nim/get-token",
        "POST /api/v1/nvidia-nim/start-container",
        "POST /api/v1/nvidia-nim/stop-container",
      ),
    );
  });

  it("Capgo, which passes OPTIONS on to its builder for everybody (CVE-2026-56299)", () => {
    const app = router(
      group(
        "/build",
        group(signedIn, POST("/request", nothing), POST("/start/{job}", nothing), GET("/logs/{job}", nothing)),
        group(
          "/upload/{job}",
          group(signedIn, POST(nothing)),
          route(method("OPTIONS"), open("it says what uploads there are"), nothing),
          group("/*", group(signedIn, PATCH(nothing), GET(nothing)), route(method("OPTIONS"), nothing)),
        ),
      ),
    );
    assert.deepEqual(holesOf(app), unguarded("OPTIONS /build/upload/{job}/*"));
  });
});
