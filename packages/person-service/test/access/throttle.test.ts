import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type FailureThrottle, failureThrottle, nameThrottle } from "../../src/access/throttle.ts";

/** Counts an attempt where there is room for one; returns the seconds to wait. */
function take(throttle: FailureThrottle, key: string): number {
  const wait = throttle.secondsToWait(key);
  if (wait === 0) throttle.count(key);
  return wait;
}

describe("the throttle of failures", () => {
  it("lets a burst pass, and then one an interval", () => {
    let time = 0;
    const throttle = failureThrottle({ burst: 3, interval: 10_000 }, () => time);
    const takeAt = (at: number): number => {
      time = at;
      return take(throttle, "a");
    };
    assert.deepEqual([0, 0, 0, 0, 1_000, 10_000, 10_000].map(takeAt), [0, 0, 0, 10, 9, 0, 10]);
    assert.deepEqual(
      [0, 0, 0].map(() => take(throttle, "b")),
      [0, 0, 0],
    );
    assert.deepEqual([100_000, 100_000, 100_000, 100_000].map(takeAt), [0, 0, 0, 10]);
  });

  it("never lets more pass in any time than the burst and one for each interval", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 30 })), (waits) => {
        let time = 0;
        const throttle = failureThrottle({ burst: 4, interval: 10 }, () => time);
        const passed = waits.flatMap((wait) => {
          time += wait;
          return take(throttle, "a") === 0 ? [time] : [];
        });
        for (const [i, from] of passed.entries()) {
          for (const [j, to] of passed.entries()) {
            if (j >= i) assert(j - i + 1 <= 4 + Math.floor((to - from) / 10));
          }
        }
      }),
    );
  });

  it("forgives an attempt that was a good one", () => {
    const throttle = failureThrottle({ burst: 1, interval: 1_000 }, () => 0);
    assert.equal(take(throttle, "a"), 0);
    throttle.forgive("a");
    throttle.forgive("b");
    assert.deepEqual([take(throttle, "a"), take(throttle, "a"), take(throttle, "b")], [0, 1, 0]);
  });

  it("forgets keys that failed long ago once there are too many", () => {
    const throttle = failureThrottle({ burst: 1, interval: 1_000 }, () => 0);
    for (let i = 0; i <= 10_000; i++) take(throttle, `${i}`);
    assert.deepEqual([take(throttle, "10000"), take(throttle, "1"), take(throttle, "0")], [1, 1, 0]);
  });

  it("does not change by being asked", () => {
    const throttle = failureThrottle({ burst: 1, interval: 1_000 }, () => 0, 1);
    throttle.count("a");
    assert.equal(throttle.secondsToWait("b"), 0);
    assert.equal(throttle.secondsToWait("a"), 1);
  });
});

describe("the throttle of names", () => {
  it("keeps those of a client apart from those of another", () => {
    const throttle = nameThrottle({ burst: 1, interval: 1_000 }, () => 0);
    throttle.count("192.0.2.1", "ada");
    assert.equal(throttle.secondsToWait("192.0.2.1", "ada"), 1);
    assert.equal(throttle.secondsToWait("192.0.2.1", "grace"), 0);
    assert.equal(throttle.secondsToWait("192.0.2.2", "ada"), 0);
    throttle.forgive("192.0.2.1", "ada");
    throttle.forgive("192.0.2.2", "ada");
    assert.equal(throttle.secondsToWait("192.0.2.1", "ada"), 0);
  });

  it("does not forget a name over names that are made up, of this client or of others", () => {
    const throttle = nameThrottle({ burst: 10, interval: 30_000 }, () => 0);
    for (let i = 0; i < 10; i++) throttle.count("192.0.2.1", "ada");
    for (let i = 0; i < 10_100; i++) throttle.count(i % 2 === 0 ? "192.0.2.1" : `2001:db8:0:${i}::/64`, `${i}`);
    assert.equal(throttle.secondsToWait("192.0.2.1", "ada"), 30);
  });

  it("forgets what failed longest ago: of a client beyond 100 names, and of all beyond 10,000 clients", () => {
    const throttle = nameThrottle({ burst: 1, interval: 1_000 }, () => 0);
    for (let i = 0; i <= 100; i++) throttle.count("192.0.2.1", `${i}`);
    const waits = ["0", "1", "100"].map((name) => throttle.secondsToWait("192.0.2.1", name));
    assert.deepEqual(waits, [0, 1, 1]);
    for (let i = 0; i <= 10_000; i++) throttle.count(`2001:db8:0:${i}::/64`, "ada");
    const [first, second, last] = [0, 1, 10_000].map((i) => throttle.secondsToWait(`2001:db8:0:${i}::/64`, "ada"));
    assert.deepEqual([first, second, last], [0, 1, 1]);
  });
});
