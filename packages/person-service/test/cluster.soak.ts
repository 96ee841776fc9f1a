import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

/** How often each fault is driven: the variable CLUSTER_ROUNDS, or once. */
const rounds = process.env["CLUSTER_ROUNDS"] ?? "1";

const program = fileURLToPath(new URL("../../../scripts/cluster/main.ts", import.meta.url));

/** How the command begins to say that it cannot run here. */
const cannotStart = /^PG_BIN is not set/;

for (const [cluster, faults] of [
  ["citus", ["worker", "coordinator", "other"]],
  ["citus", ["failover", "coordinator-failover"]],
] as const) {
  it(`keeps all that was acknowledged through faults of ${cluster}: ${faults.join(", ")}`, async (t) => {
    const args = ["--conditions=@waymark/source", program, cluster, ...faults, "--rounds", rounds];
    const running = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const printed = Promise.all([text(running.stdout), text(running.stderr)]);
    const [status] = await once(running, "close");
    const [stdout, stderr] = await printed;
    if (cannotStart.test(stderr)) return t.skip(stderr.trim());
    t.diagnostic(stdout);
    assert.deepEqual([status, stderr], [0, ""]);
  });
}
