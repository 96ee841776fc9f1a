import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GET, HttpRequest, ok, POST, router } from "waymark";
import { type cors, publicUrl, refuseCrossSite } from "waymark/filters";
import type { HeaderFields } from "../../src/fields/header-list.ts";

describe("refuseCrossSite", () => {
  const routes = [POST("/x", ok), GET("/x", ok)];
  const refusing = (except?: cors.Policy) => router({ filters: [refuseCrossSite({ except })] }, ...routes);
  const app = refusing();
  const behindProxy = router({ filters: [publicUrl("https://people.example/app"), refuseCrossSite()] }, ...routes);

  async function statusOf(to: typeof app, headers: HeaderFields, method = "POST"): Promise<number> {
    const request = HttpRequest.of({ method, target: "/x", headers: { Host: "localhost:8080", ...headers } });
    return (await to.handle(request)).status;
  }

  for (const [headers, status] of [
    [{}, 200],
    [{ "Sec-Fetch-Site": "same-origin" }, 200],
    [{ "Sec-Fetch-Site": "none" }, 200],
    [{ "Sec-Fetch-Site": "same-site" }, 403],
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    // Which no page can change, and which says more than an origin.
    [{ "Sec-Fetch-Site": "same-origin", Origin: "https://evil.example" }, 200],
    [{ "Sec-Fetch-Site": "cross-site", Origin: "http://localhost:8080" }, 403],
    [{ Origin: "http://localhost:8080" }, 200],
    [{ Origin: "http://localhost" }, 403],
    [{ Origin: "http://localhost:8080.evil.example" }, 403],
    [{ Origin: "null" }, 403],
  ] as const) {
    it(`answers ${status} to a change with ${JSON.stringify(headers)}`, async () => {
      assert.equal(await statusOf(app, headers), status);
    });
  }

  it("lets requests pass that only read, wherever they come from", async () => {
    for (const method of ["GET", "HEAD"]) {
      assert.equal(
        await statusOf(app, { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }, method),
        200,
      );
    }
  });

  it("answers with a problem that says so", async () => {
    const { headers, body } = await app.handle(
      HttpRequest.of({ method: "POST", target: "/x", headers: { "Sec-Fetch-Site": "cross-site" } }),
    );
    assert.equal(headers.get("Content-Type"), "application/problem+json");
    assert.equal(JSON.parse(String(body)).type, "/problems/cross-site-request");
  });

  it("lets those pass whom the policy of CORS names, and everybody where it names all", async () => {
    const some = refusing({ origins: ["https://app.example"] });
    for (const [to, Origin, status] of [
      [some, "https://app.example", 200],
      [some, "https://evil.example", 403],
      [refusing({ origins: ["*"] }), "https://evil.example", 200],
    ] as const) {
      assert.equal(await statusOf(to, { Origin, "Sec-Fetch-Site": "cross-site" }), status);
    }
    assert.equal(await statusOf(some, { "Sec-Fetch-Site": "cross-site" }), 403);
  });

  it("takes the origin of the public URL for its own, behind a proxy that changes Host", async () => {
    for (const [Origin, status] of [
      ["https://people.example", 200],
      ["http://people.example", 403],
      ["https://people.example.evil.example", 403],
      ["https://example", 403],
    ] as const) {
      assert.equal(await statusOf(behindProxy, { Origin }), status, Origin);
    }
  });
});
