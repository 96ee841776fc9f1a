import assert from "node:assert/strict";
import { it } from "node:test";
import { survivesCrashes } from "./crash.ts";

it("keeps each person whom it acknowledged, however it is killed", async () => {
  const { acknowledged, rounds } = await survivesCrashes(20);
  assert.ok(acknowledged >= rounds);
});
