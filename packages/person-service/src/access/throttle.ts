/** How many attempts may be made at once, and how long it takes until there is one more. */
export interface ThrottleBounds {
  readonly burst: number;
  /** Milliseconds. */
  readonly interval: number;
}

/**
 * Counts attempts by key. An attempt is counted before its outcome is known, so that many at a time are many, and forgiven
 * when it was a good one.
 */
export interface FailureThrottle {
  /** Counts an attempt and gives 0; or counts none and gives the whole seconds after which there will be room for one. */
  take(key: string): number;
  /** Takes back one attempt that was counted. */
  forgive(key: string): void;
}

/**
 * A throttle in the memory of this process, of 10,000 keys at most: those that failed least recently are forgotten first.
 *
 * @param now a clock that only goes forward, in milliseconds
 */
export function failureThrottle({ burst, interval }: ThrottleBounds, now: () => number): FailureThrottle {
  // By key, the time at which all its attempts will have worn off (the generic cell rate algorithm).
  const clearAt = new Map<string, number>();
  return {
    take(key) {
      const time = now();
      const after = Math.max(clearAt.get(key) ?? 0, time) + interval;
      const wait = after - time - burst * interval;
      if (wait > 0) return Math.ceil(wait / 1000);
      clearAt.delete(key);
      clearAt.set(key, after);
      const [oldest] = clearAt.keys();
      if (clearAt.size > mostKeys && oldest !== undefined) clearAt.delete(oldest);
      return 0;
    },
    forgive(key) {
      const after = clearAt.get(key);
      if (after === undefined) return;
      if (after - interval <= now()) clearAt.delete(key);
      else clearAt.set(key, after - interval);
    },
  };
}

const mostKeys = 10_000;
