import assert from "node:assert/strict";
import { it } from "node:test";
import { survivesFailover } from "./failover.ts";

/** How long clients go on before the failover and after it, in seconds, and of how many instances: these variables, or 3 and 2. */
const seconds = Number(process.env["FAILOVER_SECONDS"] ?? 3);
const instances = Number(process.env["FAILOVER_INSTANCES"] ?? 2);

it(`loses nothing that ${instances} instances acknowledged when the primary is killed and its standby promoted`, async (t) => {
  const { violations, ...report } = await survivesFailover(seconds * 1000, instances);
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(violations, []);
});
