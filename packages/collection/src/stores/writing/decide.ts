import type { SnapshotKey } from "../contract/snapshot.ts";
import type { Creation, Idempotency, Removal, Replacement, StoredRecord } from "../contract/store.ts";
import { uniqueKeys } from "../table/compared.ts";
import {
  type CreateWrite,
  type NewRecord,
  type OutcomeOf,
  type Stamp,
  saySame,
  toStoredJson,
  type Write,
} from "./write.ts";

/** The state of a collection, for deciding a write. Each part is read only when the decision depends on it. */
export interface Known {
  readonly unique: readonly string[];
  /** @throws StoreUnavailable when another program has changed the columns of the table */
  counters(): Counters;
  row(id: number): StoredRow | undefined;
  /** Returns the least id after this one that can be assigned. */
  nextId(after: number): number;
  /** Returns whether a record has or had the id. */
  wasGiven(id: number): boolean;
  /** Returns the id of the record with this key of the unique member at a position. */
  holder(position: number, key: string): number | undefined;
  hasOwner(id: number): boolean;
  /** Returns what is kept under an idempotency key, of any time. The record may be gone. */
  keyed(owner: number, key: string): SnapshotKey | undefined;
}

export interface Counters {
  readonly lastRevision: number;
  /** The greatest id that was assigned, or chosen by a client and counted. */
  readonly lastId: number;
}

/** A record, and what the store keeps with it. */
export interface StoredRow {
  readonly record: StoredRecord;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The id of the record that owns it; undefined where the collection has no owner. */
  readonly owner: number | undefined;
}

/** The outcome of a write, and what to store for it. */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  readonly change?: Change;
}

export type Change =
  | (RowChange & {
      readonly kind: "insert";
      /** The idempotency key of the creation, to be stored. */
      readonly keyed: SnapshotKey | undefined;
    })
  | (RowChange & { readonly kind: "update"; readonly before: StoredRecord })
  | { readonly kind: "remove"; readonly record: StoredRecord };

interface RowChange {
  readonly row: StoredRow;
  /** The `lastId` of the counters after the write; their revision is that of the row. */
  readonly lastId: number;
  /** The record's JSON, parsed. */
  readonly document: unknown;
  /** The keys of the unique members, one for each. */
  readonly keys: readonly (string | null)[];
}

/** Returns the unique member whose key a record has, other than the record with this id; undefined where there is no such member. */
function heldMember(
  known: Pick<Known, "unique" | "holder">,
  keys: readonly (string | null)[],
  id: number | undefined,
): string | undefined {
  return known.unique.find((_member, position) => {
    const key = keys[position];
    const holder = typeof key === "string" ? known.holder(position, key) : undefined;
    return holder !== undefined && holder !== id;
  });
}

/** Decides a write from the state of the collection, and changes nothing. */
export function decide<W extends Write>(known: Known, write: W): Decision<OutcomeOf<W>> {
  // Each kind of write has the outcome that OutcomeOf names, which the compiler cannot follow.
  return decideByKind(known, write) as Decision<OutcomeOf<W>>;
}

function decideByKind(known: Known, write: Write): Decision<OutcomeOf<Write>> {
  switch (write.kind) {
    case "create":
      return decideCreation(known, write);
    case "replace":
      return decideReplacement(known, write);
    case "remove":
      return decideRemoval(known, write);
  }
}

function decideCreation(known: Known, write: CreateWrite): Decision<Creation> {
  const { time, owner, idempotency } = write;
  if (owner !== undefined && !known.hasOwner(owner)) return { outcome: { kind: "ownerless" } };
  if (idempotency === undefined) return decideInsertion(known, write, undefined);
  const repetition = repetitionOf(known, write, idempotency);
  if (repetition !== undefined) return { outcome: repetition };
  return decideInsertion(known, write, { owner: owner ?? 0, ...idempotency, time });
}

type Inserted = Extract<Creation, { readonly kind: "created" | "conflict" }>;

/** @param keyed the key to store with the record */
function decideInsertion(
  known: Known,
  { id: given, members, time, owner }: NewRecord,
  keyed: Omit<SnapshotKey, "id" | "revision"> | undefined,
): Decision<Inserted> {
  if (given !== undefined && known.wasGiven(given)) return { outcome: { kind: "conflict", member: "id" } };
  const { lastRevision, lastId } = known.counters();
  let id = given ?? known.nextId(lastId);
  // Ids above 2^52 that clients chose are not counted, so an assigned id may be taken there.
  while (id !== given && id > mostCounted && known.wasGiven(id)) id = known.nextId(id);
  const content = newContent(known, members, { id, createdAt: time, updatedAt: time });
  if (content.conflict !== undefined) return { outcome: { kind: "conflict", member: content.conflict } };
  const { json, document, keys } = content;
  const record = { id, revision: lastRevision + 1, updatedAt: time, json };
  return {
    outcome: { kind: "created", record },
    change: {
      kind: "insert",
      row: { record, createdAt: time, owner },
      document,
      keys,
      lastId: given === undefined || given <= mostCounted ? Math.max(lastId, id) : lastId,
      keyed: keyed && { ...keyed, id, revision: record.revision },
    },
  };
}

function decideReplacement(
  known: Known,
  { id, members, time, expectedRevision, owner }: Extract<Write, { kind: "replace" }>,
): Decision<Replacement> {
  const row = rowOf(known, id, owner);
  if (row === undefined) return { outcome: { kind: "missing" } };
  const { record: before, createdAt } = row;
  if (!isExpected(before, expectedRevision)) return { outcome: { kind: "changed", record: before } };
  if (saySame(before.json, toStoredJson(members, { id, createdAt, updatedAt: before.updatedAt }))) {
    return { outcome: { kind: "replaced", record: before } };
  }
  const updatedAt = Math.max(time, before.updatedAt); // the clock may have been set back
  const content = newContent(known, members, { id, createdAt, updatedAt });
  if (content.conflict !== undefined) return { outcome: { kind: "conflict", member: content.conflict } };
  const { json, document, keys } = content;
  const { lastRevision, lastId } = known.counters();
  const record = { id, revision: lastRevision + 1, updatedAt, json };
  return {
    outcome: { kind: "replaced", record },
    change: { kind: "update", row: { ...row, record }, before, document, keys, lastId },
  };
}

function decideRemoval(
  known: Known,
  { id, expectedRevision, owner }: Extract<Write, { kind: "remove" }>,
): Decision<Removal> {
  const record = rowOf(known, id, owner)?.record;
  if (record === undefined) return { outcome: { kind: "missing" } };
  if (!isExpected(record, expectedRevision)) return { outcome: { kind: "changed", record } };
  return { outcome: { kind: "removed" }, change: { kind: "remove", record } };
}

/** Returns the row with the id, if it belongs to the owner; an undefined owner means any. */
function rowOf(known: Known, id: number, owner: number | undefined): StoredRow | undefined {
  const row = known.row(id);
  return owner === undefined || row?.owner === owner ? row : undefined;
}

const isExpected = ({ revision }: StoredRecord, expectedRevision: number | undefined): boolean =>
  expectedRevision === undefined || revision === expectedRevision;

/** Returns the outcome of an earlier creation with the same key; undefined if no such creation was within a day. */
function repetitionOf(known: Known, write: CreateWrite, { key, fingerprint }: Idempotency): Creation | undefined {
  const before = keptKey(known, write, key);
  if (before === undefined) return undefined;
  if (before.fingerprint !== fingerprint) return { kind: "key-reused" };
  const { id, revision } = before;
  const record = known.row(id)?.record;
  return { kind: "repeated", id, revision, record: record?.revision === revision ? record : undefined };
}

/** Returns what is kept under a key; undefined where it was stored more than a day ago. */
function keptKey(known: Known, { owner = 0, time }: NewRecord, key: string): SnapshotKey | undefined {
  const kept = known.keyed(owner, key);
  return kept === undefined || kept.time <= time - keyLifetime ? undefined : kept;
}

/** Makes the JSON of a record and its keys, and finds the unique member whose value another record has. */
function newContent(
  known: Known,
  members: string,
  stamp: Stamp,
): Pick<RowChange, "document" | "keys"> & { readonly json: string; readonly conflict: string | undefined } {
  const json = toStoredJson(members, stamp);
  const document: unknown = JSON.parse(json);
  const keys = uniqueKeys(document, known.unique);
  return { json, document, keys, conflict: heldMember(known, keys, stamp.id) };
}

/** A greater id from a client does not advance the assigned ids: otherwise one request could use them up. */
export const mostCounted: number = 2 ** 52;

/** How long a key is kept, in milliseconds. */
export const keyLifetime = 86_400_000;

/** How many expired keys are removed for each stored record: more than one, so that their number falls. */
export const forgottenForEach = 10;
