import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { failureThrottle } from "../../src/access/throttle.ts";

describe("the throttle of failures", () => {
  it("lets a burst pass, and then one an interval", () => {
    let time = 0;
    const throttle = failureThrottle({ burst: 3, interval: 10_000 }, () => time);
    const takeAt = (at: number): number => {
      time = at;
      return throttle.take("a");
    };
    assert.deepEqual([0, 0, 0, 0, 1_000, 10_000, 10_000].map(takeAt), [0, 0, 0, 10, 9, 0, 10]);
    assert.deepEqual(
      [0, 0, 0].map(() => throttle.take("b")),
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
          return throttle.take("a") === 0 ? [time] : [];
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
    assert.equal(throttle.take("a"), 0);
    throttle.forgive("a");
    throttle.forgive("b");
    assert.deepEqual([throttle.take("a"), throttle.take("a"), throttle.take("b")], [0, 1, 0]);
  });

  it("forgets who failed least recently once there are too many", () => {
    const throttle = failureThrottle({ burst: 1, interval: 1_000 }, () => 0);
    for (let i = 0; i <= 10_000; i++) throttle.take(`${i}`);
    assert.deepEqual([throttle.take("10000"), throttle.take("1"), throttle.take("0")], [1, 1, 0]);
  });
});
