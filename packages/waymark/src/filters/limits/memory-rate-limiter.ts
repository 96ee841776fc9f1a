import type { Awaitable } from "../../common/and-then.ts";
import { positiveInteger } from "../../common/declaration.ts";
import { requireOptions } from "../../common/known-options.ts";

export interface RateLimiter {
  /** Takes one request off the quota of the key, if there is one left. */
  consume(key: string): Awaitable<Allowance>;
}

/** The result of counting a request. */
export interface Allowance {
  readonly allowed: boolean;
  /** The number of requests in a window. */
  readonly limit: number;
  /** The number that are left. */
  readonly remaining: number;
  /** Seconds until there are as many as `limit` again, 0 or more. */
  readonly resetSeconds: number;
}

/** The options of `rateLimit.inMemory`. */
export interface MemoryRateLimiterOptions {
  /** The number of requests for a key in a window, 1 or more. */
  readonly limit: number;
  /** How long a window is, in whole seconds. It begins with the first request of the key. */
  readonly window: number;
  /** The maximum of keys that are remembered, 2 or more; 100,000 need about 15 MB. Default: 100,000. */
  readonly maxKeys?: number;
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number;
}

/** Counts for one process, and forgets the key that was silent longest. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #limit: number;
  /** Of a window, in milliseconds. */
  readonly #length: number;
  readonly #maxKeys: number;
  readonly #now: () => number;
  // Two generations: a key moves to the younger one with each request. When the younger one is full, or has lasted for a window,
  // the elder one goes; after a window, all of its windows are over. So there is nothing to look for, and no timer.
  #younger = new Map<string, Window>();
  #elder = new Map<string, Window>();
  #begun: number;

  constructor(options: MemoryRateLimiterOptions) {
    requireOptions("rateLimit.inMemory({ … })", options, ["limit", "window", "maxKeys", "now"]);
    this.#limit = positiveInteger("limit", options.limit);
    this.#length = positiveInteger("window", options.window) * 1000;
    this.#maxKeys = positiveInteger("maxKeys", options.maxKeys ?? 100_000);
    this.#now = options.now ?? (() => performance.now());
    this.#begun = this.#time;
  }

  /** Whole milliseconds: of fractions, the end less the beginning can come out as more than the window. */
  get #time(): number {
    return Math.floor(this.#now());
  }

  /** Returns whether `consume` would allow a request now. */
  hasLeft(key: string): boolean {
    const window = this.#younger.get(key) ?? this.#elder.get(key);
    return window === undefined || window.used < this.#limit || this.#time >= window.end;
  }

  consume(key: string): Allowance {
    const time = this.#time;
    if (time - this.#begun >= this.#length) this.#turn(time);
    let window = this.#younger.get(key);
    if (window === undefined) {
      window = this.#elder.get(key);
      if (this.#younger.size >= this.#maxKeys / 2) this.#turn(time);
      window ??= { used: 0, end: time + this.#length };
      this.#younger.set(key, window);
    }
    if (time >= window.end) {
      window.used = 0;
      window.end = time + this.#length;
    }
    const limit = this.#limit;
    const allowed = window.used < limit;
    if (allowed) window.used++;
    return { allowed, limit, remaining: limit - window.used, resetSeconds: (window.end - time) / 1000 };
  }

  #turn(time: number): void {
    this.#elder = this.#younger;
    this.#younger = new Map();
    this.#begun = time;
  }
}

interface Window {
  used: number;
  end: number;
}
