import { hash } from "node:crypto";
import { type CollectionDefinition, parseRecord, type Store } from "@waymark/collection";

/** What is stored of a webhook: how far it is, and what it did not take. */
export interface WebhookState {
  /** A digest of the URL, which may be a secret. */
  readonly key: string;
  readonly host: string;
  /** The process that sends; null when none does. */
  readonly holder: string | null;
  /** Changes every few seconds while that process lives. */
  readonly renewal: number;
  /** The cursor behind the changes that were sent, or are in `pending`, or `beginning`; null before the first. */
  readonly cursor: string | null;
  readonly pending: readonly PendingPerson[];
  /** The last ones that were given up. */
  readonly dead: readonly DeadLetter[];
  /** How many were given up. */
  readonly deadCount: number;
  /** When a message was last taken, in milliseconds since the epoch; null before the first. */
  readonly lastDelivery: number | null;
}

/** A person whose last change was not taken. Times are milliseconds since the epoch. */
export interface PendingPerson {
  readonly id: number;
  /** The revision of the change, where that is a removal, and when it was first read; a stored person is sent as it is by then. */
  readonly removal?: SeenRemoval;
  readonly attempts: number;
  /** When the first attempt failed, and when the next is due. */
  readonly since: number;
  readonly next: number;
  readonly reason: string;
}

/** A removal as each attempt says it. Times are milliseconds since the epoch. */
export interface SeenRemoval {
  readonly revision: number;
  readonly at: number;
}

/** A person whose change was given up. */
export interface DeadLetter extends Omit<PendingPerson, "next" | "removal"> {
  readonly until: number;
}

/** The collection of the states of webhooks, beside the people. */
export const webhookCollection: CollectionDefinition = { name: "webhook", members: { key: { unique: true } } };

export const keyOf = (url: string): string => hash("sha256", url, "hex").slice(0, 32);

/** The state of a new webhook. */
export const newState = (url: string): WebhookState => ({
  key: keyOf(url),
  host: new URL(url).host,
  holder: null,
  renewal: 0,
  cursor: null,
  pending: [],
  dead: [],
  deadCount: 0,
  lastDelivery: null,
});

/** The place before everybody. */
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
