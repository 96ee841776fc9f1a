import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type RecordChange, type Store, StoreCursorGone, StoreReadOnly, StoreUnavailable } from "@waymark/collection";
import { type Delivery, mostAtOnce, type WebhookMessage } from "./delivery.ts";
import { messageOf } from "./message.ts";
import type { WebhookSettings } from "./settings.ts";
import { keyOf, newState, type PendingPerson, readStates, type StoredState, type WebhookState } from "./state.ts";

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

/** Times in milliseconds. */
export interface WebhookTiming {
  /** How long to wait after so many attempts. */
  readonly backOff: (attempts: number) => number;
  /** How often to look for changes, and how often the process that sends says that it lives. */
  readonly look: number;
  readonly renew: number;
  /** A message that was not taken for so long is given up, if others were. */
  readonly giveUp: number;
}

export const usualTiming: WebhookTiming = {
  backOff: (attempts) => Math.min(3_600_000, 5000 * 4 ** (attempts - 1)) * (0.9 + Math.random() / 5),
  look: 500,
  renew: 10_000,
  giveUp: 86_400_000,
};

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
 * What is not taken is tried again, while others go on. One of all processes sends: the one that holds the state of the webhook in
 * the database, and changes it again and again. Another takes it over when it has not changed for three of these times.
 */
export class WebhookSender {
  readonly #parts: SenderParts;
  readonly #me = randomUUID();
  readonly #stop = new AbortController();
  /** Ends the attempts that are still under way a while after the stop. */
  readonly #cut = new AbortController();
  readonly #host: string;
  /** The state that this process holds, as it is stored; undefined while another one sends. */
  #held: StoredState | undefined;
  #lost = new AbortController();
  #saved: Promise<void> = Promise.resolve();
  /** What another process holds, and since when it has been so, by a clock that only goes forward. */
  #seen: { readonly revision: number; readonly at: number } | undefined;
  #isFailing = false;
  #running: Promise<void> | undefined;
  #counts = { delivered: 0, failed: 0, deadLetters: 0 };

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#host = new URL(parts.settings.url).host;
  }

  get figures(): WebhookFigures {
    const pending = this.#held?.state.pending.length ?? 0;
    return { host: this.#host, ...this.#counts, pending, sends: this.#held !== undefined };
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Waits a little for the attempts under way, and lets another process send. */
  async close(): Promise<void> {
    this.#stop.abort();
    const late = setTimeout(() => this.#cut.abort(), patience);
    await this.#running;
    clearTimeout(late);
    this.#parts.delivery.close();
  }

  async #run(): Promise<void> {
    const { look, renew } = this.#parts.timing;
    const renewal = setInterval(() => void this.#renew(), renew);
    while (!this.#stop.signal.aborted) {
      let pause = look;
      try {
        if (this.#held === undefined && !(await this.#acquire())) pause = renew;
        else if (await this.#round()) pause = 0;
      } catch (error) {
        pause = this.#pauseAfter(error);
      }
      if (pause > 0) await wait(pause, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
    clearInterval(renewal);
    await this.#save((state) => ({ ...state, holder: null })).catch(() => undefined);
  }

  #pauseAfter(error: unknown): number {
    const { report, timing } = this.#parts;
    if (error instanceof StoreReadOnly) return timing.renew;
    if (error instanceof StoreUnavailable) return timing.look;
    report("webhook-fault", String(error));
    return timing.renew;
  }

  /** Takes the state of the webhook, unless another process holds it. */
  async #acquire(): Promise<boolean> {
    const { states, settings, timing } = this.#parts;
    const found = (await readStates(states)).find(({ state }) => state.key === keyOf(settings.url));
    if (found === undefined) {
      await states.create(newState(settings.url));
      return this.#acquire();
    }
    const now = performance.now();
    if (found.state.holder !== null && found.state.holder !== this.#me) {
      if (this.#seen?.revision !== found.revision) this.#seen = { revision: found.revision, at: now };
      if (now - this.#seen.at < 3 * timing.renew) return false;
    }
    this.#held = found;
    this.#lost = new AbortController();
    const pending = found.state.pending.map((each) => ({ ...each, next: Date.now() }));
    await this.#save((state) => ({ ...state, holder: this.#me, pending }));
    return this.#held !== undefined;
  }

  /** Stores a change of the state, unless another process has taken it meanwhile: then this one sends no more. */
  #save(change: (state: WebhookState) => WebhookState): Promise<void> {
    const save = async (): Promise<void> => {
      const held = this.#held;
      if (held === undefined) return;
      const state = { ...change(held.state), renewal: held.state.renewal + 1 };
      const outcome = await this.#parts.states.replace(held.id, state, held.revision);
      if (outcome.kind === "replaced") this.#held = { id: held.id, revision: outcome.record.revision, state };
      else this.#lose();
    };
    const saved = this.#saved.then(save);
    this.#saved = saved.catch(() => undefined);
    return saved;
  }

  #lose(): void {
    this.#held = undefined;
    this.#seen = undefined;
    this.#lost.abort();
  }

  async #renew(): Promise<void> {
    try {
      await this.#save((state) => state);
    } catch {
      // The database is away, or the outcome is unknown: what is stored says whether this process still sends.
      this.#lose();
    }
  }

  /** Sends what is due, and what has changed; returns whether there may be more at once. */
  async #round(): Promise<boolean> {
    const { people, settings } = this.#parts;
    const state = this.#held?.state;
    if (state === undefined) return false;
    if (state.cursor === null) {
      const cursor = await this.#begin();
      await this.#save((stored) => ({ ...stored, cursor }));
      return true;
    }
    const now = Date.now();
    const messages = new Map<number, WebhookMessage | undefined>();
    for (const { id } of state.pending.filter(({ next }) => next <= now)) {
      const record = await people.find(id);
      const change: RecordChange =
        record === undefined ? { kind: "removed", id, revision: 0 } : { kind: "stored", record };
      messages.set(id, messageOf(change, settings));
    }
    let { cursor } = state;
    let hasMore = false;
    if (state.pending.length < mostPending) {
      const batch = await this.#changes(cursor);
      // The latest state of somebody who waits for another attempt takes the place of the former.
      for (const change of batch.changes) messages.set(idOf(change), messageOf(change, settings));
      ({ cursor, hasMore } = batch);
    }
    if (messages.size === 0 && cursor === state.cursor) return false;
    const reasons = await this.#send(messages);
    await this.#save((stored) => this.#after(stored, cursor, messages, reasons));
    return hasMore || reasons.size < messages.size;
  }

  /** Returns the cursor to begin with. */
  async #begin(): Promise<string> {
    const { people, settings } = this.#parts;
    let batch = await people.changes(undefined, { limit: 1 });
    if (settings.from === "beginning") return beginning;
    while (batch.hasMore) batch = await people.changes(batch.cursor);
    return batch.cursor;
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

  /** Sends messages, some at a time; returns why some were not taken, by the ids of people. */
  async #send(messages: ReadonlyMap<number, WebhookMessage | undefined>): Promise<ReadonlyMap<number, string>> {
    const { delivery } = this.#parts;
    const reasons = new Map<number, string>();
    const lost = this.#lost.signal;
    const signal = AbortSignal.any([this.#cut.signal, lost]);
    const left = messages.entries();
    const work = async (): Promise<void> => {
      for (const [id, message] of left) {
        if (message === undefined) continue;
        const isOver = this.#stop.signal.aborted || lost.aborted;
        const reason = isOver ? interrupted : await delivery.send(message, signal);
        if (reason !== undefined) reasons.set(id, signal.aborted ? interrupted : reason);
      }
    };
    await Promise.all(Array.from({ length: mostAtOnce }, work));
    return reasons;
  }

  /** Returns the state after messages were sent, of which some were not taken. */
  #after(
    state: WebhookState,
    cursor: string,
    messages: ReadonlyMap<number, WebhookMessage | undefined>,
    reasons: ReadonlyMap<number, string>,
  ): WebhookState {
    const { timing, report } = this.#parts;
    const now = Date.now();
    const sent = [...messages].filter(([, message]) => message !== undefined).map(([id]) => id);
    const delivered = sent.filter((id) => !reasons.has(id)).length;
    const failed = [...reasons.values()].filter((reason) => reason !== interrupted).length;
    this.#counts.delivered += delivered;
    this.#counts.failed += failed;
    const recovers = this.#isFailing && delivered > 0;
    const lastDelivery = delivered > 0 ? now : state.lastDelivery;
    const before = new Map(state.pending.map((each) => [each.id, each]));
    const waiting = state.pending
      .filter(({ id }) => !messages.has(id))
      // Those that failed while nothing was taken are due as soon as something is.
      .map((each) => (recovers ? { ...each, next: now } : each));
    const again = [...reasons].map(([id, reason]): PendingPerson => {
      const { attempts = 0, since = now } = before.get(id) ?? {};
      if (reason === interrupted) return { id, attempts, since, next: now, reason };
      return { id, attempts: attempts + 1, since, next: now + timing.backOff(attempts + 1), reason };
    });
    const isDead = ({ since, attempts }: PendingPerson): boolean =>
      attempts > 1 && now - since >= timing.giveUp && lastDelivery !== null && lastDelivery > since;
    const dead = again.filter(isDead).map(({ next: _next, ...each }) => ({ ...each, until: now }));
    for (const { id, reason } of dead)
      report("webhook-dead-letter", `${this.#host} did not take person ${id}: ${reason}`);
    this.#counts.deadLetters += dead.length;
    const isNew = again.some(({ attempts }) => attempts === 1);
    if (isNew && delivered === 0 && !this.#isFailing) {
      this.#isFailing = true;
      report("webhook-fails", `${this.#host} takes no messages: ${[...reasons.values()][0]}`);
    } else if (recovers) {
      this.#isFailing = false;
      report("webhook-recovers", `${this.#host} takes messages again`);
    }
    return {
      ...state,
      cursor,
      lastDelivery,
      pending: [...waiting, ...again.filter((each) => !isDead(each))],
      dead: [...state.dead, ...dead].slice(-mostDead),
      deadCount: state.deadCount + dead.length,
    };
  }
}

const idOf = (change: RecordChange): number => (change.kind === "stored" ? change.record.id : change.id);

/** Stands for the cursor in front of all changes: no cursor has this form. */
const beginning = "beginning";

/** In milliseconds. */
const patience = 3000;

/** Stands for the reason where this process stopped: it was no attempt. */
const interrupted = "interrupted";

/** Changes that are read at a time: what is sent again if the process is killed. */
const mostAtATime = 50;

/** While so many people wait for another attempt, no further changes are read: they wait in the database. */
const mostPending = 100;

const mostDead = 1000;
