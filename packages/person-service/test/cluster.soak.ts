import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

/** How often each fault is driven: the variable CLUSTER_ROUNDS, or once. A round takes the 20 s that Patroni waits for a primary. */
const rounds = process.env["CLUSTER_ROUNDS"] ?? "1";

it("keeps all that was acknowledged through the failovers of Patroni", async (t) => {
  const program = fileURLToPath(new URL("../../../scripts/cluster/main.ts", import.meta.url));
  const args = ["--conditions=@waymark/source", program, "patroni", "kill", "freeze", "switchover", "slow"];
  const running = spawn(process.execPath, [...args, "--rounds", rounds], { stdio: ["ignore", "pipe", "pipe"] });
  const printed = Promise.all([text(running.stdout), text(running.stderr)]);
  const [status] = await once(running, "close");
  const [stdout, stderr] = await printed;
  if (stderr.startsWith("These programs are missing")) return t.skip(stderr.trim());
  t.diagnostic(stdout);
  assert.deepEqual([status, stderr], [0, ""]);
});
