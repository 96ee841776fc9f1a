import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, deprecated, GET, group, ok, router } from "waymark";
import { openApi } from "waymark/openapi";

describe("deprecated", () => {
  const app = router(
    group("/v1", deprecated({ since: "2026-01-01", sunset: "2027-01-01", see: "/docs/v2" }), GET(ok)),
    GET("/v2", ok),
  );

  it("says in the answers since when, until when, and where to read on", async () => {
    const { headers } = await ask(app, "GET /v1");
    assert.deepEqual(headers.flat, [
      ...["Deprecation", "@1767225600"],
      ...["Sunset", "Fri, 01 Jan 2027 00:00:00 GMT"],
      ...["Link", '</docs/v2>; rel="deprecation"; type="text/html"'],
      ...["Link", '</docs/v2>; rel="sunset"; type="text/html"'],
    ]);
    assert.equal((await ask(app, "GET /v2")).headers.has("Deprecation"), false);
  });

  it("says it in the document", async () => {
    const { paths } = await openApi(app, { title: "t", version: "1" });
    assert.deepEqual([paths["/v1"]?.["get"]?.deprecated, paths["/v2"]?.["get"]?.deprecated], [true, undefined]);
  });

  it("refuses dates that are none, and a sunset before it", () => {
    assert.throws(() => deprecated({ since: "soon" }), /since \}\) takes a date, such as "2026-12-31", not "soon"/);
    assert.throws(() => deprecated({ since: "2026-02-01", sunset: "2026-01-01" }), /sunset before its since/);
    assert.throws(() => deprecated({ since: "2026-02-01", see: "a b" }), /is a URL or a path/);
  });
});
