/** Counts failed attempts of clients: 100 at once of one, 20 of them for one name, and then one in 5 seconds. */
export interface FailureLimit {
  /** Returns the whole seconds after which there is room for an attempt; 0 where there is room now. */
  secondsToWait(client: string, name?: string): number;
  /** Counts an attempt, from before it is judged: many at the same time are many. */
  count(client: string, name?: string): void;
  /** Takes back an attempt that was counted, and was a good one. */
  forgive(client: string, name?: string): void;
}

/**
 * Makes a limit in the memory of this process, for the 20,000 clients and names that failed last.
 *
 * @param now a clock that only goes forward, in milliseconds
 */
export function failureLimit(now: () => number): FailureLimit {
  // The time at which all attempts will have worn off (the generic cell rate algorithm).
  const clearAt = new Map<string, number>();
  const add = (key: string, time: number): void => {
    const after = Math.max(clearAt.get(key) ?? 0, now()) + time;
    clearAt.delete(key);
    if (after <= now()) return;
    const [oldest] = clearAt.keys();
    if (clearAt.size >= mostKeys && oldest !== undefined) clearAt.delete(oldest);
    clearAt.set(key, after);
  };
  const wait = (key: string, burst: number): number =>
    Math.max(Math.ceil(((clearAt.get(key) ?? 0) - now() - (burst - 1) * interval) / 1000), 0);
  const each = (client: string, name: string | undefined, time: number): void => {
    add(client, time);
    if (name !== undefined) add(keyOf(client, name), time);
  };
  return {
    secondsToWait: (client, name) =>
      Math.max(wait(client, 100), name === undefined ? 0 : wait(keyOf(client, name), 20)),
    count: (client, name) => each(client, name, interval),
    forgive: (client, name) => each(client, name, -interval),
  };
}

/** In milliseconds. */
const interval = 5_000;
const mostKeys = 20_000;

/** No user has a longer name. */
const keyOf = (client: string, name: string): string => JSON.stringify([client, name.slice(0, 200)]);
