import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../../scripts/cluster/main.ts", import.meta.url));

it("nothing that was acknowledged is lost when the primary is killed and its standby promoted", () => {
  const args = ["--conditions=@waymark/source", program, "--seconds", "0.2"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 120_000 });
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /^acknowledged [1-9]\d*, lists \d+, copies 1; lost 0, (?:\w+ 0, )+tornCopies 0; /);
});
