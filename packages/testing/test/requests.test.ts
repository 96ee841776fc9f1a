import assert from "node:assert/strict";
import { it } from "node:test";
import { router } from "waymark";
import { openApi } from "waymark/openapi";
import { randomFrom } from "../src/requests/random.ts";
import { toCurl } from "../src/requests/request.ts";
import { valuesOf } from "../src/requests/values.ts";
import { schemasOf } from "../src/schemas.ts";

it("a made array has its first items, and as many as its schema says", async () => {
  const document = await openApi(router(), { title: "x", version: "1" });
  const schema = { prefixItems: [{ type: "integer" }], items: { type: "string" }, minItems: 2, maxItems: 2 };
  const made = valuesOf(document, schemasOf(document), randomFrom(1)).good(schema);
  assert.deepEqual(
    (made as readonly unknown[]).map((each) => typeof each),
    ["number", "string"],
  );
});

it("a command names the type of its content, and sends no Content-Type without one", () => {
  const request = { kind: "a valid request", method: "POST", target: "/a", body: "{}", expects: {} };
  const typed = toCurl({ ...request, headers: { "Content-Type": "a/b" } }, "http://localhost");
  assert.equal(typed, "curl -i -X POST 'http://localhost/a' -H 'Content-Type: a/b' --data-binary '{}'");
  const untyped = toCurl({ ...request, headers: {} }, "http://localhost");
  assert.equal(untyped, "curl -i -X POST 'http://localhost/a' -H 'Content-Type:' --data-binary '{}'");
});
