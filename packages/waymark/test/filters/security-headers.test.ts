import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type App, GET, HttpRequest, HttpResponse, POST, type RouterOptions, router, text } from "waymark";
import { cors, securityHeaders } from "waymark/filters";
import { type Answer, transports } from "../../../node/test/tools/transports.ts";
import type { SecurityHeadersOptions } from "../../src/filters/security-headers.ts";

const foreign = { Server: "Elsewhere/1.0", "X-Powered-By": "Elsewhere" };
const own = { "Content-Security-Policy": "default-src 'self'", "Cross-Origin-Resource-Policy": "cross-origin" };

/** An app that answers in every way there is. */
const appWith = (options?: SecurityHeadersOptions, filters: NonNullable<RouterOptions["filters"]> = []): App =>
  router(
    { filters: [securityHeaders(options), ...filters], onFault: () => undefined },
    GET("/text", () => text("text")),
    GET("/later", async () => text("later")),
    GET("/stream", () => new HttpResponse(200, {}, ["a", "b"])),
    GET("/page", () => new HttpResponse(200, own, "page")),
    GET("/foreign", () => new Response("foreign", { headers: foreign })),
    GET("/broken", () => {
      throw new Error("secret");
    }),
    POST("/text", () => new HttpResponse(304, { ETag: '"1"' })),
  );

const due = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

const securityOf = ({ headers }: Answer) =>
  Object.fromEntries(
    [...Object.keys(due), "strict-transport-security"]
      .filter((name) => headers[name] !== undefined)
      .map((name) => [name, headers[name]]),
  );

for (const [transport, run] of Object.entries(transports)) {
  describe(`securityHeaders (${transport})`, () => {
    for (const [line, status] of [
      ["GET /text", 200],
      ["HEAD /text", 200],
      ["GET /later", 200],
      ["GET /stream", 200],
      ["POST /text", 304],
      ["OPTIONS /text", 204],
      ["GET /nowhere", 404],
      ["DELETE /text", 405],
      ["PURGE /text", 501],
      ["GET /broken", 500],
    ] as const) {
      it(`are on ${line}, ${status}, once each`, () =>
        run(appWith(), async (ask) => {
          const answer = await ask(line);
          assert.equal(answer.status, status);
          assert.deepEqual(securityOf(answer), due);
        }));
    }

    it("are on the refusal of a malformed target", () =>
      run(appWith(), async (ask) => {
        const answer = await ask("GET /%zz");
        assert.equal(answer.status, 400);
        assert.deepEqual(securityOf(answer), due);
      }));

    it("leave a response what it has", () =>
      run(appWith(), async (ask) => {
        const expected = {
          ...due,
          "content-security-policy": "default-src 'self'",
          "cross-origin-resource-policy": "cross-origin",
        };
        assert.deepEqual(securityOf(await ask("GET /page")), expected);
      }));

    it("remove fields that name the software", () =>
      run(appWith(), async (ask) => {
        const { headers, text } = await ask("GET /foreign");
        assert.deepEqual([headers["server"], headers["x-powered-by"], text], [undefined, undefined, "foreign"]);
      }));

    it("let pages show what CORS gives to everybody", () =>
      run(appWith({}, [cors({ origins: ["*"] })]), async (ask) => {
        for (const line of ["GET /text", "GET /nowhere", "GET /stream"]) {
          const expected = { ...due, "cross-origin-resource-policy": "cross-origin" };
          assert.deepEqual(securityOf(await ask(line, { Origin: "https://a.example" })), expected);
        }
        const kept = await ask("GET /page");
        assert.equal(kept.headers["content-security-policy"], "default-src 'self'");
      }));

    it("do not open to pages what CORS gives to some", () =>
      run(appWith({}, [cors({ origins: ["https://a.example"] })]), async (ask) => {
        assert.deepEqual(securityOf(await ask("GET /text", { Origin: "https://a.example" })), due);
      }));

    it("have another policy if an option sets one", () =>
      run(appWith({ contentSecurityPolicy: "sandbox" }), async (ask) => {
        assert.deepEqual(securityOf(await ask("GET /text")), { ...due, "content-security-policy": "sandbox" });
      }));

    it("say Strict-Transport-Security over https only", async () => {
      const strict = "strict-transport-security";
      const isHttps: SecurityHeadersOptions["https"] = (request) => request.header("X-Tls") === "on";
      await run(appWith({ https: isHttps }), async (ask) => {
        assert.equal((await ask("GET /text")).headers[strict], undefined);
        assert.equal((await ask("GET /text", { "X-Tls": "on" })).headers[strict], "max-age=31536000");
        assert.equal((await ask("GET /nowhere", { "X-Tls": "on" })).headers[strict], "max-age=31536000");
      });
      const options = { https: true, strictTransportSecurity: "max-age=60; includeSubDomains" };
      await run(appWith(options), async (ask) =>
        assert.equal((await ask("GET /text")).headers[strict], "max-age=60; includeSubDomains"),
      );
      await run(appWith(), async (ask) => assert.equal((await ask("GET /text")).headers[strict], undefined));
    });
  });
}

describe("securityHeaders", () => {
  it("goes by the scheme of the client by default", async () => {
    for (const [https, scheme, due] of [
      [undefined, "https", true],
      [undefined, "http", false],
      [false, "https", false],
    ] as const) {
      const app = appWith(https === undefined ? {} : { https });
      const response = await app.handle(HttpRequest.of({ target: "/text", client: { scheme } }));
      assert.equal(response.headers.has("Strict-Transport-Security"), due);
    }
  });

  it("refuses values that cannot be sent", () => {
    assert.throws(() => securityHeaders({ contentSecurityPolicy: "default-src\r\nX: y" }), TypeError);
    assert.throws(() => securityHeaders({ strictTransportSecurity: "max-age=1\n" }), TypeError);
  });
});
