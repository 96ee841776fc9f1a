import { setTimeout as wait } from "node:timers/promises";
import { type ChangeBatch, type Store, StoreCursorGone, StoreReadOnly, StoreUnavailable } from "@waymark/collection";
import type { LogLevel } from "../log/log.ts";
import { type Delivery, messageOf, type TimedChange } from "./delivery.ts";
import type { WebhookSettings } from "./settings.ts";
import { beginning, Lease, type PendingPerson, type WebhookState } from "./state.ts";

/** What a sender works with. */
export interface SenderParts {
  readonly settings: WebhookSettings;
  readonly delivery: Delivery;
  readonly people: Store;
  /** The store of `webhookCollection`. */
  readonly states: Store;
  readonly timing: WebhookTiming;
  /** Reports what an operator should know. */
  readonly report: (level: LogLevel, event: string, detail: string) => void;
}

/** When webhooks are looked after. Times are in milliseconds. */
export interface WebhookTiming {
  /** How long to wait after so many attempts. */
  readonly backOff: (attempts: number) => number;
  /** How often to look for changes, and how often the process that sends says that it lives. */
  readonly look: number;
  readonly renew: number;
  /** A message that was not taken for so long is given up, if others were. */
  readonly giveUp: number;
}

/** The counts of a sender. */
export interface WebhookFigures {
  readonly host: string;
  readonly delivered: number;
  readonly failed: number;
  readonly deadLetters: number;
  /** People whose change waits for another attempt. */
  readonly pending: number;
}

/** The sending of the changes of people to a webhook, by one of all processes. */
export interface WebhookSender {
  readonly figures: WebhookFigures;
  /** Resolves when each change from then on is sent; or when another process sends, or the database cannot be used yet. */
  readonly begun: Promise<void>;
  /** Waits a little for the attempts under way, and lets another process send. */
  close(patience: number): Promise<void>;
}

/**
 * Sends the changes of people to a webhook, as a follower of their feed: those of one person in order, each in the latest state.
 * What is not taken waits in the database and is tried again, while others go on.
 */
export function webhookSender({ settings, delivery, people, states, timing, report }: SenderParts): WebhookSender {
  const stopped = new AbortController();
  /** Ends the attempts that are still under way a while after the stop. */
  const cut = new AbortController();
  const { host } = new URL(settings.url);
  const lease = new Lease(states, settings.url, 3 * timing.renew);
  const counts = { delivered: 0, failed: 0, deadLetters: 0 };
  let isFailing = false;
  let savedAt = 0;

  const save = async (state: WebhookState): Promise<void> => {
    await lease.save(state);
    savedAt = performance.now();
  };

  /** Holds the lease, unless another process does, and stores where a new webhook begins. */
  const hold = async (): Promise<void> => {
    if (lease.state === undefined) await lease.acquire();
    if (lease.state?.cursor !== null) return;
    const cursor = settings.from === "beginning" ? beginning : (await people.changes("now")).cursor;
    await save({ ...lease.state, cursor });
  };

  /** Sends what is due, and what has changed; returns how long to wait for the next round. */
  const round = async (): Promise<number> => {
    await hold();
    const { state } = lease;
    if (state === undefined || state.cursor === null) return timing.renew;
    const { cursor, hasMore, changes } = await nextChanges(state, state.cursor);
    if (changes.size === 0 && cursor === state.cursor) {
      if (performance.now() - savedAt > timing.renew) await save(state);
      return timing.look;
    }
    const outcome = await send(changes);
    await save(after({ ...state, cursor }, changes, outcome));
    return hasMore || outcome.delivered > 0 ? 0 : timing.look;
  };

  /** Returns the changes that are due for another attempt, and, while few people wait, the next ones of the feed. */
  const nextChanges = async (
    { pending }: WebhookState,
    cursor: string,
  ): Promise<Pick<ChangeBatch, "cursor" | "hasMore"> & { changes: Changes }> => {
    const now = Date.now();
    const changes: Changes = new Map();
    for (const { id, removal } of pending.filter(({ next }) => next <= now).slice(0, mostAtATime)) {
      const record = removal === undefined ? await people.find(id) : undefined;
      changes.set(id, removal ? { kind: "removed", id, ...removal } : record && { kind: "stored", record });
    }
    const limit = Math.min(mostAtATime, mostPending - pending.length);
    if (limit <= 0) return { cursor, hasMore: false, changes };
    const feed = await changesBehind(cursor, limit);
    // The latest state of somebody who waits takes the place of the former.
    for (const change of feed.changes) {
      if (change.kind === "stored") changes.set(change.record.id, change);
      else changes.set(change.id, { ...change, at: now });
    }
    return { cursor: feed.cursor, hasMore: feed.hasMore, changes };
  };

  const changesBehind = async (cursor: string, limit: number): Promise<ChangeBatch> => {
    try {
      return await people.changes(cursor === beginning ? undefined : cursor, { limit });
    } catch (error) {
      if (!(error instanceof StoreCursorGone)) throw error;
      report("warn", "webhook-begins-again", `changes are lost: everybody is sent to ${host} again`);
      return people.changes(undefined, { limit });
    }
  };

  /** Sends the messages of changes side by side. */
  const send = async (changes: Changes): Promise<Outcome> => {
    const refusals = new Map<number, string>();
    let delivered = 0;
    const attempts = changes.entries().map(async ([id, change]) => {
      const message = change && messageOf(change, settings);
      if (message === undefined) return;
      const refusal = await delivery.send(message, cut.signal);
      if (refusal === undefined) delivered++;
      else refusals.set(id, refusal);
    });
    await Promise.all(attempts);
    return { delivered, refusals };
  };

  /** Returns the state after a round: who waits for another attempt, and until when. Counts and reports what came of it. */
  const after = (state: WebhookState, changes: Changes, { delivered, refusals }: Outcome): WebhookState => {
    const now = Date.now();
    const recovers = isFailing && delivered > 0;
    const lastDelivery = delivered > 0 ? now : state.lastDelivery;
    const failed = [...refusals].map(([id, reason]): PendingPerson => {
      const { since = now, attempts = 0 } = state.pending.find((each) => each.id === id) ?? {};
      const change = changes.get(id);
      const removal = change?.kind === "removed" && { removal: { revision: change.revision, at: change.at } };
      return { id, since, reason, attempts: attempts + 1, next: now + timing.backOff(attempts + 1), ...removal };
    });
    const isDead = ({ attempts, since }: PendingPerson): boolean =>
      attempts > 1 && now - since >= timing.giveUp && lastDelivery !== null && lastDelivery > since;
    const dead = failed.filter(isDead);
    const others = state.pending.filter(({ id }) => !changes.has(id));
    // Those that failed while nothing was taken are due as soon as something is.
    const waiting = recovers ? others.map((each) => ({ ...each, next: now })) : others;

    counts.delivered += delivered;
    counts.failed += failed.length;
    counts.deadLetters += dead.length;
    for (const { id, reason } of dead) {
      report("warn", "webhook-dead-letter", `${host} did not take person ${id}: ${reason}`);
    }
    const first = failed.find(({ attempts }) => attempts === 1);
    if (recovers) {
      isFailing = false;
      report("info", "webhook-recovers", `${host} takes messages again`);
    } else if (first !== undefined && delivered === 0 && !isFailing && !stopped.signal.aborted) {
      isFailing = true;
      report("warn", "webhook-fails", `${host} takes no messages: ${first.reason}`);
    }
    return {
      ...state,
      lastDelivery,
      pending: [...waiting, ...failed.filter((each) => !isDead(each))],
      dead: [...state.dead, ...dead].slice(-mostDead),
      deadCount: state.deadCount + dead.length,
    };
  };

  const pauseAfter = (error: unknown): number => {
    if (error instanceof StoreReadOnly) return timing.renew;
    if (error instanceof StoreUnavailable) return timing.look;
    report("error", "webhook-fault", String(error));
    return timing.renew;
  };

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const pause = await round().catch(pauseAfter);
      if (pause > 0) await wait(pause, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    const { state } = lease;
    if (state !== undefined) await lease.save({ ...state, holder: null }).catch(() => undefined);
  };

  // What fails is tried again, and reported.
  const begun = hold().catch(() => undefined);
  const running = begun.then(run);
  return {
    begun,
    get figures() {
      return { host, ...counts, pending: lease.state?.pending.length ?? 0 };
    },
    async close(patience) {
      stopped.abort();
      const late = setTimeout(() => cut.abort(), patience);
      await running;
      clearTimeout(late);
      delivery.close();
    },
  };
}

/** By the ids of people; undefined for one who waited for another attempt, and whose removal the feed brings. */
type Changes = Map<number, TimedChange | undefined>;

/** What came of sending changes: how many were taken, and why the others were not, by the ids of people. */
interface Outcome {
  readonly delivered: number;
  readonly refusals: ReadonlyMap<number, string>;
}

/** How many changes of each kind, new ones and waiting ones, are sent side by side. */
const mostAtATime = 16;

/** While so many people wait for another attempt, no further changes are read: they wait in the database. */
const mostPending = 100;

const mostDead = 100;
