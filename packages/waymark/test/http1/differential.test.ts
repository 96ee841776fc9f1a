import assert from "node:assert/strict";
import { it } from "node:test";
import { agreesWithNode } from "./differential.ts";

it("the parser takes nothing that Node's does not take, and takes it as the same", async () => {
  const count = 8_000;
  const { taken } = await agreesWithNode(count, 1);
  // Else it would be held to little.
  assert.ok(taken > count / 3, `only ${taken} messages were taken`);
});
