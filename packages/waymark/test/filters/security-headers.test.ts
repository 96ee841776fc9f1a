import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type App, GET, HttpRequest, HttpResponse, POST, type RouterOptions, router, text } from "waymark";
import { cors, securityHeaders } from "waymark/filters";
import type { SecurityHeadersOptions } from "../../src/filters/security-headers.ts";
import { fetched } from "../tools/ask.ts";

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

const securityOf = async (app: App, line: string, fields = {}) => {
  const { headers } = await fetched(app, line, fields);
  const names = [...Object.keys(due), "strict-transport-security"];
  return Object.fromEntries(names.filter((name) => name in headers).map((name) => [name, headers[name]]));
};

describe("securityHeaders", () => {
  for (const [line, status] of [
    ["GET /text", 200],
    ["HEAD /text", 200],
    ["GET /later", 200],
    ["GET /stream", 200],
    ["POST /text", 304],
    ["OPTIONS /text", 204],
    ["GET /%zz", 400],
    ["GET /nowhere", 404],
    ["DELETE /text", 405],
    ["PURGE /text", 501],
    ["GET /broken", 500],
  ] as const) {
    it(`are on ${line}, ${status}, once each`, async () => {
      assert.equal((await fetched(appWith(), line)).status, status);
      assert.deepEqual(await securityOf(appWith(), line), due);
    });
  }

  it("leave a response what it has", async () => {
    const expected = {
      ...due,
      "content-security-policy": "default-src 'self'",
      "cross-origin-resource-policy": "cross-origin",
    };
    assert.deepEqual(await securityOf(appWith(), "GET /page"), expected);
  });

  it("remove fields that name the software", async () => {
    const { headers, text } = await fetched(appWith(), "GET /foreign");
    assert.deepEqual([headers["server"], headers["x-powered-by"], text], [undefined, undefined, "foreign"]);
  });

  it("let pages show what CORS gives to everybody, and not what it gives to some", async () => {
    const open = appWith({}, [cors({ origins: ["*"] })]);
    const asking = { Origin: "https://a.example" };
    for (const line of ["GET /text", "GET /nowhere", "GET /stream"]) {
      const expected = { ...due, "cross-origin-resource-policy": "cross-origin" };
      assert.deepEqual(await securityOf(open, line, asking), expected);
    }
    assert.equal((await securityOf(open, "GET /page"))["content-security-policy"], "default-src 'self'");
    const listed = appWith({}, [cors({ origins: ["https://a.example"] })]);
    assert.deepEqual(await securityOf(listed, "GET /text", asking), due);
  });

  it("have another policy if an option sets one", async () => {
    const expected = { ...due, "content-security-policy": "sandbox" };
    assert.deepEqual(await securityOf(appWith({ contentSecurityPolicy: "sandbox" }), "GET /text"), expected);
  });

  it("say Strict-Transport-Security over https only", async () => {
    const isHttps: SecurityHeadersOptions["https"] = (request) => request.header("X-Tls") === "on";
    const own = { https: true, strictTransportSecurity: "max-age=60; includeSubDomains" };
    for (const [options, line, fields, expected] of [
      [{ https: isHttps }, "GET /text", {}, undefined],
      [{ https: isHttps }, "GET /text", { "X-Tls": "on" }, "max-age=31536000"],
      [{ https: isHttps }, "GET /nowhere", { "X-Tls": "on" }, "max-age=31536000"],
      [own, "GET /text", {}, "max-age=60; includeSubDomains"],
      [{}, "GET /text", {}, undefined],
    ] as const) {
      assert.equal((await securityOf(appWith(options), line, fields))["strict-transport-security"], expected);
    }
  });

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
