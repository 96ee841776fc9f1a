import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { simulateChanges } from "./simulation.ts";

/** What was measured with 64 clients on a machine with two cores; the commits were slowed down by the server. */
const measured = [
  { instances: 1, partitions: 1, commit: 0.1, changes: 6609 },
  { instances: 4, partitions: 1, commit: 5, changes: 658 },
  { instances: 4, partitions: 1, commit: 20, changes: 329 },
  { instances: 4, partitions: 16, commit: 5, changes: 2824 },
  { instances: 4, partitions: 16, commit: 20, changes: 1288 },
] as const;

describe("the simulation of changes a second", () => {
  for (const { changes, ...service } of measured) {
    const { instances, partitions, commit } = service;
    it(`is within a quarter of ${changes}: instances ${instances}, partitions ${partitions}, commit ${commit} ms`, () => {
      const simulated = simulateChanges({ ...service, clients: 64 });
      const ratio = simulated / changes;
      assert.ok(ratio > 0.75 && ratio < 1.25, `${Math.round(simulated)} is ${ratio.toFixed(2)} of ${changes}`);
    });
  }

  it("comes to the same every time", () => {
    const service = { instances: 3, partitions: 2, commit: 4, clients: 100 };
    assert.equal(simulateChanges(service, 5), simulateChanges(service, 5));
  });

  it("has more instances pay with partitions, and cost without", () => {
    const changes = (instances: number, partitions: number): number =>
      simulateChanges({ instances, partitions, commit: 5, clients: 64 }, 5);
    assert.ok(changes(4, 1) < changes(1, 1));
    assert.ok(changes(4, 16) > 3 * changes(4, 1));
  });

  it("is printed as a table", () => {
    const args = ["--conditions=@waymark/source", join(import.meta.dirname, "simulate.ts")];
    const options = ["--commit", "5", "--instances", "1,4", "--partitions", "1,16", "--clients", "64"];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...options], { encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^Changes a second by simulation, 64 clients, commits of 5 ms\n/);
    assert.match(stdout, /^instances +P = 1 +P = 16\n +1 +[\d,]+ +[\d,]+\n +4 +[\d,]+ +[\d,]+\n$/m);
  });

  it("says which option it does not understand", () => {
    const args = ["--conditions=@waymark/source", join(import.meta.dirname, "simulate.ts"), "--commit", "fast"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.deepEqual([status, stderr], [2, "--commit takes positive numbers, separated by commas, not fast\n"]);
  });
});
