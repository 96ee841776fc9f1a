import { TurnShare } from "../shares/turn-share.ts";
import type { Store } from "../stores/contract/store.ts";

/**
 * Waits until the state of the store is another one than this. Returns that one; undefined where the signal is aborted before, or the
 * time is over.
 *
 * @param state as `Store.state` returned it
 * @param within how long to wait, in milliseconds. Default: until the signal is aborted
 */
export type ChangedFrom = (state: string, signal: AbortSignal, within?: number) => Promise<string | undefined>;

/**
 * Says when a store has changed, to all who wait for that. It asks for the state of the store at intervals while somebody waits, so
 * that it finds the changes of every program, also through a pooler of connections. To ask takes 3 µs on SQLite and one short query
 * on PostgreSQL, however many wait; while nothing changes, it asks less and less often.
 */
export function feedWatch(store: Pick<Store, "state">): ChangedFrom {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;
  /** In milliseconds, before the next look. */
  let pause = interval;

  const schedule = (): void => {
    if (timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(look, pause);
    timer.unref();
  };

  const look = async (): Promise<void> => {
    try {
      const present = await store.state();
      const changed = [...waiting].filter(({ state }) => state !== present);
      const share = new TurnShare();
      for (const { end } of changed) {
        if (share.isUsed) await share.next();
        end(present);
      }
      // While changes go on, many share a look and a read, and those who follow leave most of the time to others.
      pause =
        changed.length === 0
          ? Math.min(restingInterval, pause * growth)
          : Math.min(longestInterval, intervalOfChanges + changed.length * pauseForEach);
    } catch {
      // The database is away: the next look may find it again.
    }
    const now = performance.now();
    for (const { until, end } of waiting) if (until <= now) end(undefined);
    timer = undefined;
    schedule();
  };

  return (state, signal, within = Number.POSITIVE_INFINITY) => {
    if (signal.aborted) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = (): void => one.end(undefined);
    const one: Waiting = {
      state,
      until: performance.now() + within,
      end: (present) => {
        signal.removeEventListener("abort", onAbort);
        waiting.delete(one);
        resolve(present);
      },
    };
    signal.addEventListener("abort", onAbort);
    if (waiting.size === 0) pause = interval;
    waiting.add(one);
    schedule();
    return promise;
  };
}

interface Waiting {
  readonly state: string;
  readonly until: number;
  readonly end: (present: string | undefined) => void;
}

/** In milliseconds: so soon after others a change is seen. */
const interval = 15;

/** By how much the interval grows with each look that finds nothing. */
const growth = 1.2;

/** In milliseconds: the longest interval at which a store is asked that does not change. */
const restingInterval = 250;

/**
 * In milliseconds: while changes go on, many of them share a look and a read. On SQLite, both take 200 µs, and 1.4 µs more for each
 * change (Node 26), however many follow.
 */
const intervalOfChanges = 30;

/** In milliseconds, for each who was told of a change. */
const pauseForEach = 2;

/** In milliseconds. */
const longestInterval = 1000;
