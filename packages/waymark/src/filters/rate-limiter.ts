import type { Awaitable } from "../filter.ts";
import { positiveInteger } from "./positive-integer.ts";

/** Counts what each client uses of its quota: in memory (`memoryRateLimiter`), or in a store that several processes share. */
export interface RateLimiter {
  /** Takes one request off the quota of the key, if there is one left. */
  consume(key: string): Awaitable<Allowance>;
}

/** What became of a request that was to be counted. */
export interface Allowance {
  readonly allowed: boolean;
  /** How many requests there are to a window. */
  readonly limit: number;
  /** How many of them are left. */
  readonly remaining: number;
  /** Seconds until there are as many as `limit` again, 0 or more. */
  readonly resetSeconds: number;
}

export interface MemoryRateLimiterOptions {
  /** How many requests a key has to a window, 1 or more. */
  readonly limit: number;
  /** How long a window is, in whole seconds. It begins with the first request of the key. */
  readonly window: number;
  /** How many keys are remembered at most, 2 or more. Default: 100,000, which take some 15 MB. */
  readonly maxKeys?: number;
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * A rate limiter for one process. Where there are more keys than it remembers, it forgets first those that have been silent
 * longest, which then have a whole quota again; never those that go on asking.
 *
 * @throws RangeError when an option is out of its bounds
 */
export function memoryRateLimiter(options: MemoryRateLimiterOptions): RateLimiter {
  const limit = positiveInteger("limit", options.limit);
  const length = positiveInteger("window", options.window) * 1000;
  const maxKeys = positiveInteger("maxKeys", options.maxKeys ?? 100_000);
  const now = options.now ?? (() => performance.now());
  // Two generations: a key moves to the younger one with each request. When the younger one is full, or has lasted for a window,
  // the elder one goes; after a window, all of its windows are over. So there is nothing to look for, and no timer.
  let younger = new Map<string, Window>();
  let elder = new Map<string, Window>();
  let begun = Math.floor(now());
  const turn = (time: number): void => {
    elder = younger;
    younger = new Map();
    begun = time;
  };
  return {
    consume(key) {
      // Whole milliseconds: of fractions, the end less the beginning can come out as more than the window.
      const time = Math.floor(now());
      if (time - begun >= length) turn(time);
      let window = younger.get(key);
      if (window === undefined) {
        window = elder.get(key);
        if (younger.size >= maxKeys / 2) turn(time);
        window ??= { used: 0, end: time + length };
        younger.set(key, window);
      }
      if (time >= window.end) {
        window.used = 0;
        window.end = time + length;
      }
      const allowed = window.used < limit;
      if (allowed) window.used++;
      return { allowed, limit, remaining: limit - window.used, resetSeconds: (window.end - time) / 1000 };
    },
  };
}

interface Window {
  used: number;
  end: number;
}
