import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../scripts/cluster/main.ts", import.meta.url));

function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const options = { encoding: "utf8", env, timeout: 120_000 } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@waymark/source", program, ...args],
    options,
  );
  return { status, stdout, stderr };
}

describe("npm run cluster", () => {
  it("asks for an installation of Citus", () => {
    const { PG_BIN: _none, ...env } = process.env;
    assert.match(run(["citus"], env).stderr, /^PG_BIN is not set\b/);
    assert.match(
      run(["citus"], { ...env, PG_BIN: "/nowhere" }).stderr,
      /^PG_BIN names \/nowhere, where these are missing: initdb, /,
    );
  });

  it("says what it can do", () => {
    const { status, stderr } = run(["mysql"]);
    assert.equal(status, 2);
    assert.match(stderr, /^Usage: npm run cluster -- failover\|citus /);
  });

  it("finds all that was acknowledged when the primary is killed and its standby promoted", () => {
    const { status, stdout, stderr } = run(["failover", "--seconds", "0.2"]);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^kill 1: acknowledged [1-9]\d*, lists \d+, copies 1; lost 0, (?:\w+ 0, )+tornCopies 0; /);
  });
});
