import assert from "node:assert/strict";
import { it } from "node:test";
import { survivesFailover } from "./failover.ts";

it("loses nothing that it acknowledged when the primary is killed and its standby promoted", async () => {
  const { acknowledged, violations } = await survivesFailover(200, 1);
  assert.ok(acknowledged > 0);
  assert.deepEqual(violations, []);
});
