import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { nextMessage } from "../../../../waymark/test/tools/child-process.ts";
import type { DryRunCost } from "./dry-run-costs.ts";
import { dryRuns } from "./dry-runs.ts";

describe("a dry run of 3 MB takes at most a second of the processor, and holds others up for at most 20 ms", () => {
  const program = fileURLToPath(new URL("dry-run-costs.ts", import.meta.url));
  const costs = fork(program, { execArgv: ["--conditions=@waymark/source"] });

  for (const { what } of dryRuns) {
    it(what, async (t) => {
      const cost = (await nextMessage(costs)) as DryRunCost; // what it sends, in the order of the table
      t.diagnostic(`${cost.status}: ${Math.round(cost.whole)} ms, and ${Math.round(cost.turn)} ms at a time`);
      assert.deepEqual([cost.what, cost.status < 500], [what, true]);
      assert.ok(cost.whole <= 1_000, `${cost.whole} ms`);
      assert.ok(cost.turn <= 20, `${cost.turn} ms at a time`);
    });
  }
});
