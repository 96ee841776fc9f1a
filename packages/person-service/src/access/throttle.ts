/** How many attempts may fail at once, and how long it takes until one more may. */
export interface ThrottleBounds {
  readonly burst: number;
  /** Milliseconds. */
  readonly interval: number;
}

/**
 * Counts failed attempts by key. An attempt is counted while it is judged, so that many at the same time are many, and
 * forgiven when it was a good one.
 */
export interface FailureThrottle {
  /** Returns the whole seconds after which there is room for an attempt; 0 where there is room now. */
  secondsToWait(key: string): number;
  /** Counts an attempt. */
  count(key: string): void;
  /** Takes back one attempt that was counted. */
  forgive(key: string): void;
}

/**
 * Makes a throttle in the memory of this process. Of its `mostKeys` keys it forgets, when there are more, the one that has
 * worn off first among the 100 that failed least recently.
 *
 * @param now a clock that only goes forward, in milliseconds
 */
export function failureThrottle(
  { burst, interval }: ThrottleBounds,
  now: () => number,
  mostKeys = 10_000,
): FailureThrottle {
  // By key, the time at which all its attempts will have worn off (the generic cell rate algorithm).
  const clearAt = new Map<string, number>();
  const forgetOne = (): void => {
    const [soonest] = clearAt
      .entries()
      .take(100)
      .reduce((one, other) => (other[1] < one[1] ? other : one));
    clearAt.delete(soonest);
  };
  return {
    secondsToWait(key) {
      const time = now();
      const wait = Math.max((clearAt.get(key) ?? 0) - time, 0) + interval - burst * interval;
      return Math.max(Math.ceil(wait / 1000), 0);
    },
    count(key) {
      const after = Math.max(clearAt.get(key) ?? 0, now()) + interval;
      clearAt.delete(key);
      if (clearAt.size >= mostKeys) forgetOne();
      clearAt.set(key, after);
    },
    forgive(key) {
      const after = clearAt.get(key);
      if (after === undefined) return;
      if (after - interval <= now()) clearAt.delete(key);
      else clearAt.set(key, after - interval);
    },
  };
}

/** Counts failed attempts by client and name. */
export interface NameThrottle {
  /** Returns the whole seconds after which there is room for an attempt; 0 where there is room now. */
  secondsToWait(client: string, name: string): number;
  count(client: string, name: string): void;
  forgive(client: string, name: string): void;
}

/**
 * Makes a throttle that counts each name of each client by itself. Names that a client makes up displace none of another
 * client's, and of its own 100 only those that have worn off first.
 *
 * @param now a clock that only goes forward, in milliseconds
 */
export function nameThrottle(bounds: ThrottleBounds, now: () => number): NameThrottle {
  const byClient = new Map<string, FailureThrottle>();
  return {
    secondsToWait: (client, name) => byClient.get(client)?.secondsToWait(keyOf(name)) ?? 0,
    count(client, name) {
      const names = byClient.get(client) ?? failureThrottle(bounds, now, mostNames);
      byClient.delete(client);
      byClient.set(client, names);
      const [oldest] = byClient.keys();
      if (byClient.size > mostClients && oldest !== undefined) byClient.delete(oldest);
      names.count(keyOf(name));
    },
    forgive: (client, name) => byClient.get(client)?.forgive(keyOf(name)),
  };
}

const mostNames = 100;
const mostClients = 10_000;

/** Bounds the memory that a name takes: no user has a longer one. */
const keyOf = (name: string): string => name.slice(0, 200);
