import type { Store } from "../stores/contract/store.ts";

/**
 * Waits until the state of the store is another one than this. Returns that one; undefined where the signal is aborted before.
 *
 * @param state as `Store.state` returned it
 * @param pauseAfter returns for how long others are to have the processor once this is answered, in milliseconds
 */
export type ChangedFrom = (
  state: string,
  signal: AbortSignal,
  pauseAfter?: () => number,
) => Promise<string | undefined>;

/**
 * Says when a store has changed, to all who wait for that. It asks for the state of the store at intervals while somebody waits, so
 * that it finds the changes of every program, also through a pooler of connections. To ask takes 3 µs on SQLite and one short query
 * on PostgreSQL, however many wait.
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
      for (const { end } of changed) end(present);
      const least = changed.length === 0 ? interval : intervalOfChanges;
      const sum = changed.reduce((sum, { pauseAfter }) => sum + pauseAfter(), least);
      pause = Math.min(longestInterval, sum);
    } catch {
      // The database is away: the next look may find it again.
    }
    timer = undefined;
    schedule();
  };

  return (state, signal, pauseAfter = pauseOfOne) => {
    if (signal.aborted) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = (): void => one.end(undefined);
    const one: Waiting = {
      state,
      pauseAfter,
      end: (present) => {
        signal.removeEventListener("abort", onAbort);
        waiting.delete(one);
        resolve(present);
      },
    };
    signal.addEventListener("abort", onAbort);
    waiting.add(one);
    schedule();
    return promise;
  };
}

interface Waiting {
  readonly state: string;
  readonly pauseAfter: () => number;
  readonly end: (present: string | undefined) => void;
}

/** In milliseconds: a change is seen within twice this time, if no other came shortly before. */
const interval = 15;

/**
 * In milliseconds: while changes go on, many of them share a look and a read. On SQLite, both take 200 µs, and 1.4 µs more for each
 * change (Node 26), however many follow.
 */
const intervalOfChanges = 30;

/** In milliseconds: while changes go on, answers to many requests that wait leave most of the time to others. */
const pauseOfOne = (): number => 2;

/** In milliseconds. */
const longestInterval = 1000;
