import { setTimeout as wait } from "node:timers/promises";
import { type RecordChange, type Store, StoreCursorGone, StoreReadOnly, StoreUnavailable } from "@waymark/collection";
import { type Delivery, mostAtOnce } from "./delivery.ts";
import { leaseOf } from "./lease.ts";
import { messageOf, type TimedChange } from "./message.ts";
import { interrupted, type Round, stateAfter } from "./progress.ts";
import type { WebhookSettings } from "./settings.ts";
import { beginning, type WebhookState } from "./state.ts";
import type { WebhookTiming } from "./timing.ts";

/** What a sender works with. */
export interface SenderParts {
  readonly settings: WebhookSettings;
  readonly delivery: Delivery;
  readonly people: Store;
  readonly states: Store;
  readonly timing: WebhookTiming;
  /** Reports what an operator should know. */
  readonly report: (event: WebhookEvent, detail: string) => void;
}

export type WebhookEvent =
  | "webhook-fails"
  | "webhook-recovers"
  | "webhook-dead-letter"
  | "webhook-begins-again"
  | "webhook-fault";

/** The counts of a sender. */
export interface WebhookFigures {
  readonly host: string;
  readonly delivered: number;
  readonly failed: number;
  readonly deadLetters: number;
  /** People whose change waits for another attempt. */
  readonly pending: number;
  /** Whether this process is the one that sends. */
  readonly sends: boolean;
}

/** The sending of the changes of people to a webhook, by one of all processes. */
export interface WebhookSender {
  readonly figures: WebhookFigures;
  /** Resolves when each change from then on is sent; or when another process sends, or the database cannot be used yet. */
  start(): Promise<void>;
  /** Waits a little for the attempts under way, and lets another process send. */
  close(patience: number): Promise<void>;
}

/**
 * Sends the changes of people to a webhook, as a follower of their feed: those of one person in order, each in the latest state.
 * What is not taken is tried again, while others go on.
 */
export function webhookSender({ settings, delivery, people, states, timing, report }: SenderParts): WebhookSender {
  const stopped = new AbortController();
  /** Ends the attempts that are still under way a while after the stop. */
  const cut = new AbortController();
  let isFailing = false;
  let running: Promise<void> | undefined;
  const counts = { delivered: 0, failed: 0, deadLetters: 0 };
  const lease = leaseOf(states, settings.url, timing.renew);
  const host = new URL(settings.url).host;

  const takeLease = async (): Promise<void> => {
    try {
      if (await lease.acquire()) await placeFirst();
    } catch {
      // It is tried again, and reported.
    }
  };

  /** Stores where a new webhook begins; returns whether it is new. */
  const placeFirst = async (): Promise<boolean> => {
    if (lease.state?.cursor !== null) return false;
    const cursor = settings.from === "beginning" ? beginning : (await people.changes("now")).cursor;
    await lease.change((stored) => ({ ...stored, cursor }));
    return true;
  };

  const run = async (): Promise<void> => {
    const renewal = setInterval(() => void lease.renew(), timing.renew);
    while (!stopped.signal.aborted) {
      let pause = timing.look;
      try {
        if (lease.state === undefined && !(await lease.acquire())) pause = timing.renew;
        else if (await round()) pause = 0;
      } catch (error) {
        pause = pauseAfter(error);
      }
      if (pause > 0) await wait(pause, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    clearInterval(renewal);
    await lease.release();
  };

  const pauseAfter = (error: unknown): number => {
    if (error instanceof StoreReadOnly) return timing.renew;
    if (error instanceof StoreUnavailable) return timing.look;
    report("webhook-fault", String(error));
    return timing.renew;
  };

  /** Sends what is due, and what has changed; returns whether there may be more at once. */
  const round = async (): Promise<boolean> => {
    if (await placeFirst()) return true;
    const { state } = lease;
    if (state === undefined || state.cursor === null) return false;
    const changes = await due(state);
    let { cursor } = state;
    let hasMore = false;
    if (state.pending.length < mostPending) {
      const batch = await changesBehind(cursor);
      // The latest state of somebody who waits for another attempt takes the place of the former.
      const at = Date.now();
      for (const change of batch.changes) {
        changes.set(idOf(change), change.kind === "removed" ? { ...change, at } : change);
      }
      ({ cursor, hasMore } = batch);
    }
    if (changes.size === 0 && cursor === state.cursor) return false;
    const { delivered, reasons } = await send(changes);
    const recovers = isFailing && delivered > 0;
    await lease.change((stored) => after(stored, { cursor, changes, reasons, delivered, recovers }));
    return hasMore || reasons.size < changes.size;
  };

  /** Returns the changes that are due for another attempt. */
  const due = async ({ pending }: WebhookState): Promise<Map<number, TimedChange | undefined>> => {
    const now = Date.now();
    const due = new Map<number, TimedChange | undefined>();
    for (const { id, removal, next } of pending) {
      if (next > now) continue;
      const record = removal === undefined ? await people.find(id) : undefined;
      if (removal !== undefined) due.set(id, { kind: "removed", id, ...removal });
      else due.set(id, record && { kind: "stored", record });
    }
    return due;
  };

  const changesBehind = async (cursor: string) => {
    try {
      return await people.changes(cursor === beginning ? undefined : cursor, { limit: mostAtATime });
    } catch (error) {
      if (!(error instanceof StoreCursorGone)) throw error;
      report("webhook-begins-again", `changes are lost: everybody is sent to ${host} again`);
      return people.changes(undefined, { limit: mostAtATime });
    }
  };

  /** Sends the messages of changes, some at a time. */
  const send = async (changes: Round["changes"]): Promise<Pick<Round, "delivered" | "reasons">> => {
    const { lost } = lease;
    const signal = AbortSignal.any([cut.signal, lost]);
    const reasons = new Map<number, string>();
    let delivered = 0;
    const left = changes.entries();
    const work = async (): Promise<void> => {
      for (const [id, change] of left) {
        const message = change && messageOf(change, settings);
        if (message === undefined) continue;
        const isOver = stopped.signal.aborted || lost.aborted;
        const reason = isOver ? interrupted : await delivery.send(message, signal);
        if (reason === undefined) delivered++;
        else reasons.set(id, signal.aborted ? interrupted : reason);
      }
    };
    await Promise.all(Array.from({ length: mostAtOnce }, work));
    return { delivered, reasons };
  };

  /** Returns the state after a round; counts and reports what came of it. */
  const after = (before: WebhookState, round: Round): WebhookState => {
    const { delivered, reasons, recovers } = round;
    const { state, dead } = stateAfter(before, round, timing);
    counts.delivered += delivered;
    counts.failed += reasons.values().reduce((sum, reason) => sum + (reason === interrupted ? 0 : 1), 0);
    counts.deadLetters += dead.length;
    for (const { id, reason } of dead) report("webhook-dead-letter", `${host} did not take person ${id}: ${reason}`);
    const isNew = state.pending.some(({ id, attempts }) => attempts === 1 && reasons.has(id));
    if (isNew && delivered === 0 && !isFailing) {
      isFailing = true;
      report("webhook-fails", `${host} takes no messages: ${[...reasons.values()][0]}`);
    } else if (recovers) {
      isFailing = false;
      report("webhook-recovers", `${host} takes messages again`);
    }
    return state;
  };

  return {
    get figures() {
      const { state } = lease;
      return { host, ...counts, pending: state?.pending.length ?? 0, sends: state !== undefined };
    },
    async start() {
      const begun = takeLease();
      running = begun.then(() => run());
      await begun;
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

const idOf = (change: RecordChange): number => (change.kind === "stored" ? change.record.id : change.id);

/** Changes that are read at a time: what is sent again if the process is killed. */
const mostAtATime = 50;

/** While so many people wait for another attempt, no further changes are read: they wait in the database. */
const mostPending = 100;
