import { hash, randomUUID } from "node:crypto";
import { type CollectionDefinition, parseRecord, type Store } from "@waymark/collection";

/** What is stored of a webhook: who sends, how far it is, and what was not taken. Times are milliseconds since the epoch. */
export interface WebhookState {
  /** A digest of the URL, which may be a secret. */
  readonly key: string;
  readonly host: string;
  /** The process that sends; null when none does. */
  readonly holder: string | null;
  /** Counts what is stored, so that a process that lives shows it. */
  readonly renewal: number;
  /** The cursor behind the changes that were sent or wait; `beginning` before everybody; null of a new webhook. */
  readonly cursor: string | null;
  /** The people whose last change was not taken. */
  readonly pending: readonly PendingPerson[];
  /** The last ones that were given up, and how many were. */
  readonly dead: readonly PendingPerson[];
  readonly deadCount: number;
  /** When a message was last taken; null before the first. */
  readonly lastDelivery: number | null;
}

/** A person whose last change was not taken. */
export interface PendingPerson {
  readonly id: number;
  /** Of a removal its revision, and when it was first read: the feed has no time of it. Anybody else is sent as they are by then. */
  readonly removal?: { readonly revision: number; readonly at: number };
  readonly attempts: number;
  /** When the first attempt failed; when the next is due, or was when it was given up. */
  readonly since: number;
  readonly next: number;
  readonly reason: string;
}

/** The collection of the states of webhooks, beside the people. */
export const webhookCollection: CollectionDefinition = { name: "webhook", members: { key: { unique: true } } };

/** The cursor before everybody. */
export const beginning = "beginning";

/** A state as it is stored, and where. */
export interface StoredState {
  readonly id: number;
  readonly revision: number;
  readonly state: WebhookState;
}

/** Reads the states of all webhooks that there are or were. */
export async function readStates(store: Store): Promise<readonly StoredState[]> {
  const states: StoredState[] = [];
  for await (const batch of (store as Store<WebhookState>).list()) {
    for (const record of batch) {
      const { id, createdAt: _createdAt, updatedAt: _updatedAt, ...state } = parseRecord(record);
      states.push({ id, revision: record.revision, state });
    }
  }
  return states;
}

/** Has everybody sent to each webhook: of a database that went back to an older state, nobody knows what receivers have. */
export async function sendEverybodyAgain(store: Store): Promise<void> {
  for (const { id, state } of await readStates(store)) {
    await store.replace(id, { ...state, holder: null, cursor: beginning });
  }
}

/** The lease of a webhook: its state, which one of all processes holds at a time, and which only that one changes. */
export class Lease {
  readonly #states: Store;
  readonly #url: string;
  readonly #silence: number;
  readonly #me: string = randomUUID();
  #held: StoredState | undefined;
  /** What another process holds, and since when it has been so, by a clock that only goes forward. */
  #seen: { readonly revision: number; readonly at: number } | undefined;

  /** @param silence in milliseconds: a holder that stores nothing for so long has ended */
  constructor(states: Store, url: string, silence: number) {
    this.#states = states;
    this.#url = url;
    this.#silence = silence;
  }

  /** The state; undefined while this process does not hold it. */
  get state(): WebhookState | undefined {
    return this.#held?.state;
  }

  /** Takes the state, unless another process holds it. What waits is due then. */
  async acquire(): Promise<void> {
    const key = hash("sha256", this.#url, "hex").slice(0, 32);
    const found = (await readStates(this.#states)).find(({ state }) => state.key === key);
    if (found === undefined) {
      const { host } = new URL(this.#url);
      const isNew = { holder: null, renewal: 0, cursor: null, pending: [], dead: [], deadCount: 0, lastDelivery: null };
      await this.#states.create({ key, host, ...isNew } satisfies WebhookState);
      return this.acquire();
    }
    const { holder, pending } = found.state;
    const now = performance.now();
    if (holder !== null && holder !== this.#me) {
      if (this.#seen?.revision !== found.revision) this.#seen = { revision: found.revision, at: now };
      if (now - this.#seen.at < this.#silence) return;
    }
    this.#held = found;
    await this.save({
      ...found.state,
      holder: this.#me,
      pending: pending.map((each) => ({ ...each, next: Date.now() })),
    });
  }

  /** Stores the state, unless another process has taken it meanwhile: then it is lost. */
  async save(state: WebhookState): Promise<void> {
    if (this.#held === undefined) return;
    const { id, revision } = this.#held;
    const renewed = { ...state, renewal: state.renewal + 1 };
    this.#held = undefined;
    const outcome = await this.#states.replace(id, renewed, revision);
    if (outcome.kind === "replaced") this.#held = { id, revision: outcome.record.revision, state: renewed };
  }
}
