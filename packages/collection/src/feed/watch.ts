import { TurnShare } from "../shares/turn-share.ts";
import type { Listening, Store } from "../stores/contract/store.ts";

/**
 * Waits until the state of the store is another one than this. Returns that one; undefined where the signal is aborted before, or the
 * time is over.
 *
 * @param state as `Store.state` returned it
 * @param within how long to wait, in milliseconds. Default: until the signal is aborted
 */
export type ChangedFrom = (state: string, signal: AbortSignal, within?: number) => Promise<string | undefined>;

/**
 * Wakes the requests that wait for a change of a store. Where the store does not report the changes of all programs, its state is read at
 * intervals while requests wait, which finds them, also through a pooler of connections. That takes 3 µs on SQLite and one short query on
 * PostgreSQL, however many wait; while nothing changes, the intervals grow.
 */
export function feedWatch(store: Pick<Store, "state" | "listen">): ChangedFrom {
  const waiting = new Set<Waiting>();
  let listening: Listening | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  /** The state that the last look has found. */
  let seen: string | undefined;
  /** When the next look is due. Times are those of `performance.now()`. */
  let due = Number.POSITIVE_INFINITY;
  /** Before this there is no other look, where one has found changes. */
  let notBefore = 0;
  /** In milliseconds, before the next look where no change is reported. */
  let pause = interval;

  const lookAt = (time: number): void => {
    due = time;
    clearTimeout(timer);
    timer = setTimeout(look, Math.max(0, time - performance.now()));
    timer.unref();
  };

  const onChange = (): void => {
    const time = Math.max(notBefore, performance.now());
    if (isLooking) due = time;
    else if (waiting.size > 0 && time < due) lookAt(time);
  };

  const look = async (): Promise<void> => {
    isLooking = true;
    due = Number.POSITIVE_INFINITY;
    try {
      const present = await store.state();
      seen = present;
      const changed = [...waiting].filter(({ state }) => state !== present);
      const share = new TurnShare();
      for (const { end } of changed) {
        if (share.isUsed) await share.next();
        end(present);
      }
      // While changes go on, many share a look and a read, and those who follow leave most of the time to others.
      const least = Math.min(longestInterval, intervalOfChanges + changed.length * pauseForEach);
      const resting = listening?.isHeard === true ? restingWhereHeard : Math.min(restingInterval, pause * growth);
      pause = changed.length === 0 ? resting : least;
      notBefore = performance.now() + least;
    } catch {
      // The database is away: the next look may find it again.
    }
    isLooking = false;
    const now = performance.now();
    for (const { until, end } of waiting) if (until <= now) end(undefined);
    if (waiting.size > 0) lookAt(Math.min(Math.max(due, notBefore), now + pause));
    else {
      listening?.stop();
      listening = undefined;
    }
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
    const isFirst = waiting.size === 0;
    waiting.add(one);
    listening ??= store.listen?.(onChange);
    if (isFirst && !isLooking) {
      pause = interval;
      lookAt(performance.now() + pause);
    } else if (state !== seen) onChange();
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

/** In milliseconds: the same where changes are reported. A transaction that ends without one may have held some back. */
const restingWhereHeard = 1000;

/**
 * In milliseconds: while changes go on, many of them share a look and a read. On SQLite, both take 200 µs, and 1.4 µs more for each
 * change (Node 26), however many follow.
 */
const intervalOfChanges = 30;

/** In milliseconds, for each who was told of a change. */
const pauseForEach = 2;

/** In milliseconds. */
const longestInterval = 1000;
