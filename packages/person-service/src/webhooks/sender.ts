import { setTimeout as wait } from "node:timers/promises";
import { type RecordChange, type Store, StoreCursorGone, StoreReadOnly, StoreUnavailable } from "@waymark/collection";
import { type Delivery, mostAtOnce } from "./delivery.ts";
import { Lease } from "./lease.ts";
import { messageOf } from "./message.ts";
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

/**
 * Sends the changes of people to a webhook, as a follower of their feed: those of one person in order, each in the latest state.
 * What is not taken is tried again, while others go on.
 */
export class WebhookSender {
  readonly #parts: SenderParts;
  readonly #lease: Lease;
  readonly #stop = new AbortController();
  /** Ends the attempts that are still under way a while after the stop. */
  readonly #cut = new AbortController();
  readonly #host: string;
  #isFailing = false;
  #running: Promise<void> | undefined;
  #counts = { delivered: 0, failed: 0, deadLetters: 0 };

  constructor(parts: SenderParts) {
    const { settings, states, timing } = parts;
    this.#parts = parts;
    this.#lease = new Lease(states, settings.url, timing.renew);
    this.#host = new URL(settings.url).host;
  }

  get figures(): WebhookFigures {
    const { state } = this.#lease;
    return { host: this.#host, ...this.#counts, pending: state?.pending.length ?? 0, sends: state !== undefined };
  }

  /** Resolves when each change from then on is sent; or when another process sends, or the database cannot be used yet. */
  async start(): Promise<void> {
    const begun = this.#begin();
    this.#running = begun.then(() => this.#run());
    await begun;
  }

  /** Waits a little for the attempts under way, and lets another process send. */
  async close(): Promise<void> {
    this.#stop.abort();
    const late = setTimeout(() => this.#cut.abort(), patience);
    await this.#running;
    clearTimeout(late);
    this.#parts.delivery.close();
  }

  async #begin(): Promise<void> {
    try {
      if (await this.#lease.acquire()) await this.#placeFirst();
    } catch {
      // It is tried again, and reported.
    }
  }

  /** Stores where a new webhook begins; returns whether it is new. */
  async #placeFirst(): Promise<boolean> {
    if (this.#lease.state?.cursor !== null) return false;
    const { people, settings } = this.#parts;
    const cursor = settings.from === "beginning" ? beginning : (await people.changes("now")).cursor;
    await this.#lease.change((stored) => ({ ...stored, cursor }));
    return true;
  }

  async #run(): Promise<void> {
    const { look, renew } = this.#parts.timing;
    const renewal = setInterval(() => void this.#lease.renew(), renew);
    while (!this.#stop.signal.aborted) {
      let pause = look;
      try {
        if (this.#lease.state === undefined && !(await this.#lease.acquire())) pause = renew;
        else if (await this.#round()) pause = 0;
      } catch (error) {
        pause = this.#pauseAfter(error);
      }
      if (pause > 0) await wait(pause, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
    clearInterval(renewal);
    await this.#lease.release();
  }

  #pauseAfter(error: unknown): number {
    const { report, timing } = this.#parts;
    if (error instanceof StoreReadOnly) return timing.renew;
    if (error instanceof StoreUnavailable) return timing.look;
    report("webhook-fault", String(error));
    return timing.renew;
  }

  /** Sends what is due, and what has changed; returns whether there may be more at once. */
  async #round(): Promise<boolean> {
    if (await this.#placeFirst()) return true;
    const { state } = this.#lease;
    if (state === undefined || state.cursor === null) return false;
    const changes = await this.#due(state);
    let { cursor } = state;
    let hasMore = false;
    if (state.pending.length < mostPending) {
      const batch = await this.#changes(cursor);
      // The latest state of somebody who waits for another attempt takes the place of the former.
      for (const change of batch.changes) changes.set(idOf(change), change);
      ({ cursor, hasMore } = batch);
    }
    if (changes.size === 0 && cursor === state.cursor) return false;
    const { delivered, reasons } = await this.#send(changes);
    const recovers = this.#isFailing && delivered > 0;
    await this.#lease.change((stored) => this.#after(stored, { cursor, changes, reasons, delivered, recovers }));
    return hasMore || reasons.size < changes.size;
  }

  /** Returns the changes that are due for another attempt. */
  async #due({ pending }: WebhookState): Promise<Map<number, RecordChange | undefined>> {
    const now = Date.now();
    const due = new Map<number, RecordChange | undefined>();
    for (const { id, removal, next } of pending) {
      if (next > now) continue;
      const record = removal === undefined ? await this.#parts.people.find(id) : undefined;
      if (removal !== undefined) due.set(id, { kind: "removed", id, revision: removal });
      else due.set(id, record && { kind: "stored", record });
    }
    return due;
  }

  async #changes(cursor: string) {
    const { people, report } = this.#parts;
    try {
      return await people.changes(cursor === beginning ? undefined : cursor, { limit: mostAtATime });
    } catch (error) {
      if (!(error instanceof StoreCursorGone)) throw error;
      report("webhook-begins-again", `changes are lost: everybody is sent to ${this.#host} again`);
      return people.changes(undefined, { limit: mostAtATime });
    }
  }

  /** Sends the messages of changes, some at a time. */
  async #send(changes: Round["changes"]): Promise<Pick<Round, "delivered" | "reasons">> {
    const { delivery, settings } = this.#parts;
    const { lost } = this.#lease;
    const signal = AbortSignal.any([this.#cut.signal, lost]);
    const reasons = new Map<number, string>();
    let delivered = 0;
    const left = changes.entries();
    const work = async (): Promise<void> => {
      for (const [id, change] of left) {
        const message = change && messageOf(change, settings);
        if (message === undefined) continue;
        const isOver = this.#stop.signal.aborted || lost.aborted;
        const reason = isOver ? interrupted : await delivery.send(message, signal);
        if (reason === undefined) delivered++;
        else reasons.set(id, signal.aborted ? interrupted : reason);
      }
    };
    await Promise.all(Array.from({ length: mostAtOnce }, work));
    return { delivered, reasons };
  }

  /** Returns the state after a round; counts and reports what came of it. */
  #after(before: WebhookState, round: Round): WebhookState {
    const { timing, report } = this.#parts;
    const { delivered, reasons, recovers } = round;
    const { state, dead } = stateAfter(before, round, timing);
    this.#counts.delivered += delivered;
    this.#counts.failed += reasons.values().reduce((sum, reason) => sum + (reason === interrupted ? 0 : 1), 0);
    this.#counts.deadLetters += dead.length;
    for (const { id, reason } of dead)
      report("webhook-dead-letter", `${this.#host} did not take person ${id}: ${reason}`);
    const isNew = state.pending.some(({ id, attempts }) => attempts === 1 && reasons.has(id));
    if (isNew && delivered === 0 && !this.#isFailing) {
      this.#isFailing = true;
      report("webhook-fails", `${this.#host} takes no messages: ${[...reasons.values()][0]}`);
    } else if (recovers) {
      this.#isFailing = false;
      report("webhook-recovers", `${this.#host} takes messages again`);
    }
    return state;
  }
}

const idOf = (change: RecordChange): number => (change.kind === "stored" ? change.record.id : change.id);

/** Stands for the cursor in front of all changes: no cursor has this form. */

/** In milliseconds. */
const patience = 3000;

/** Changes that are read at a time: what is sent again if the process is killed. */
const mostAtATime = 50;

/** While so many people wait for another attempt, no further changes are read: they wait in the database. */
const mostPending = 100;
