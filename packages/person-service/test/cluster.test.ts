import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { hasPgbouncer } from "../../collection/test/start-pgbouncer.ts";

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
  it("names the programs that are missing, and their packages", () => {
    const { status, stderr } = run(["patroni"], { PATH: "/nowhere" });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^These programs are missing: patroni, etcd\b.* On Debian: apt-get install patroni etcd-server\b/,
    );
  });

  it("asks for an installation of Citus", () => {
    const { PG_BIN: _none, ...env } = process.env;
    assert.match(run(["citus"], env).stderr, /^PG_BIN is not set\b/);
    assert.match(
      run(["citus"], { ...env, PG_BIN: "/nowhere" }).stderr,
      /^PG_BIN names \/nowhere, where these are missing: initdb, /,
    );
  });

  it("asks for root for a partition of the network", () => {
    const asAnybody = `--import=data:text/javascript,${encodeURIComponent("process.getuid = () => 1000;")}`;
    const { stderr } = run(["patroni", "partition"], { ...process.env, NODE_OPTIONS: asAnybody });
    assert.match(stderr, /^(?:A partition of the network needs root|These programs are missing)\b/);
  });

  it("says what it can do", () => {
    const { status, stderr } = run(["mysql"]);
    assert.equal(status, 2);
    assert.match(stderr, /^Usage: npm run cluster -- patroni\|pgbouncer\|citus\|restore /);
  });

  it("finds all that was acknowledged when the server behind the pooler is killed", {
    skip: !hasPgbouncer && "pgbouncer is not installed",
  }, () => {
    const { status, stdout, stderr } = run(["pgbouncer", "server", "--seconds", "0.2"]);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^server 1: acknowledged [1-9]\d*, lists \d+, copies 1; lost 0, (?:\w+ 0, )+tornCopies 0; /);
  });
});
