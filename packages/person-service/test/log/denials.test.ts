import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import type { AccessDenial } from "../../src/index.ts";
import { denialLog } from "../../src/log/denials.ts";

const denial: AccessDenial = {
  kind: "unauthenticated",
  reason: "malformed credentials",
  method: "GET",
  path: "/person/1",
  client: "192.0.2.1",
  caller: undefined,
};

describe("the log of denials", () => {
  beforeEach(() => mock.timers.enable({ apis: ["Date", "setTimeout"], now: new Date("2026-06-15T12:00:00Z") }));
  afterEach(() => mock.timers.reset());

  const openLog = () => {
    const lines: object[] = [];
    const log = denialLog((event, members) => lines.push({ event, ...members }));
    const add = (times: number, members: Partial<AccessDenial> = {}): void => {
      for (let i = 0; i < times; i++) log.add({ ...denial, ...members });
    };
    return { lines, log, add };
  };

  it("has a line for each, but not for requests without credentials", () => {
    const { lines, add } = openLog();
    add(1);
    add(1, { reason: "no credentials" });
    assert.deepEqual(lines, [{ event: "refused", ...denial }]);
  });

  it("has one line for a client that is throttled, and how many more there were after a minute", () => {
    const { lines, add } = openLog();
    add(5000, { kind: "throttled" });
    add(1, { kind: "throttled", client: "192.0.2.2" });
    assert.equal(lines.length, 2);
    mock.timers.tick(60_000);
    assert.deepEqual(lines.slice(2), [{ event: "refused-more", client: "192.0.2.1", count: 4999 }]);
    add(1, { kind: "throttled" });
    assert.equal(lines.length, 4);
  });

  it("has 20 lines a minute for each client", () => {
    const { lines, add } = openLog();
    for (let i = 0; i < 30; i++) {
      add(1);
      mock.timers.tick(1_000);
    }
    assert.equal(lines.length, 20);
    add(1, { client: "192.0.2.2" });
    assert.equal(lines.length, 21);
    mock.timers.tick(30_000);
    assert.deepEqual(lines.at(-1), { event: "refused-more", client: "192.0.2.1", count: 10 });
  });

  it("has 50 lines a second for all clients together, those that count included", () => {
    const { lines, add, log } = openLog();
    for (let i = 0; i < 5000; i++) add(2, { client: `2001:db8:0:${i}::/64` });
    assert.equal(lines.length, 50);
    mock.timers.tick(1_000);
    log.flush();
    assert.equal(lines.length, 101);
    const counts = lines.slice(50).map((line) => ("count" in line ? Number(line.count) : 0));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 50),
      10_000,
    );
  });

  it("counts for 1,000 clients in a minute, and the denials of others together", () => {
    const { lines, add } = openLog();
    for (let i = 0; i < 1000; i++) add(1, { client: `2001:db8:0:${i}::/64` });
    add(100, { client: "192.0.2.2" });
    mock.timers.tick(60_000);
    const counted = lines.flatMap((line) => ("client" in line && "count" in line ? [line.client] : []));
    assert.equal(counted.length, 50);
    assert.ok(!counted.includes("192.0.2.2"));
  });

  it("bounds what it has of a path", () => {
    const { lines, add } = openLog();
    add(1, { path: `/${"x".repeat(20_000)}` });
    assert.deepEqual(lines, [{ event: "refused", ...denial, path: `/${"x".repeat(199)}...` }]);
  });
});
