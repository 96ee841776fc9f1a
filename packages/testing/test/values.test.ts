import assert from "node:assert/strict";
import { it } from "node:test";
import { router } from "waymark";
import { openApi } from "waymark/openapi";
import { randomFrom } from "../src/requests/random.ts";
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
