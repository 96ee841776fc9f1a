import type { Awaitable } from "waymark";
import type { SelectableMember, Selection } from "./selection.ts";

/**
 * Keeps the records of one collection; the only interface between handlers and databases.
 *
 * Ids are integers from 1 to 2^53-1. They are assigned ascending, and none twice, also after its record is gone or the
 * program has started again. Every method fails with StoreUnavailable when the database cannot be used just now.
 */
export interface Store {
  /** What records can be selected and sorted by: `storeMembers`, and those that the collection was opened with. */
  readonly members: readonly SelectableMember[];
  /** Whether records can be searched for words. */
  readonly fullText: boolean;
  /** The record with this id; undefined when no record has it, whatever the number is. */
  find(id: number): Awaitable<StoredRecord | undefined>;
  /**
   * The records of a selection in its order, without one every record by ascending id, in batches that come to about
   * 64 KiB. Each batch is a read of its own, made when it is asked for: nothing is held between two of them, and records
   * that are written meanwhile may or may not be seen.
   *
   * @throws TypeError (rejects) when the store can make no sense of the selection
   * @throws StoreReadTimeout (rejects) when a batch takes too long
   */
  list(selection?: Selection, options?: ReadOptions): AsyncIterable<readonly StoredRecord[]>;
  /**
   * How many records a selection has, without one all; its `after` and `limit` are not looked at.
   *
   * @throws TypeError and StoreReadTimeout (rejects) as `list`
   */
  count(selection?: Selection, options?: ReadOptions): Awaitable<number>;
  /**
   * Stores a record; once the promise resolves it survives a crash. An `id` that the document has is used, and ids that
   * are assigned later go beyond it, unless it is greater than 2^52.
   *
   * @throws RangeError when the document's `id` is not an integer from 1 to 2^53-1
   */
  create(document: Document, options?: CreationOptions): Promise<Creation>;
  /**
   * Has the record with this id say what the document says; once the promise resolves that survives a crash. `createdAt`
   * is kept, and `updatedAt` never goes back. A document that says what the record says changes nothing: the record has
   * the revision that it had. The document's own `id` is not looked at.
   *
   * @param expectedRevision the revision that the record must have; compared in the transaction that writes
   */
  replace(id: number, document: Document, expectedRevision?: number): Promise<Replacement>;
  /**
   * Removes the record with this id, which no record has again; once the promise resolves that survives a crash.
   *
   * @param expectedRevision as for `replace`
   */
  remove(id: number, expectedRevision?: number): Promise<Removal>;
  /**
   * Stores many records at once, all or none, in constant memory: the documents are asked for as they are stored. Other
   * writes wait meanwhile, so that nothing is stored when the documents stop coming for ten seconds.
   *
   * @throws StoreNotEmpty when there are records, and were to be none
   * @throws RangeError as `create` does; what the documents throw is thrown on. Then nothing is stored
   */
  createAll(documents: Iterable<Document> | AsyncIterable<Document>, options?: BulkOptions): Promise<BulkCreation>;
  /**
   * How many changes there have been, removals included: the last revision that was given, 0 in a store that never had a
   * record. Takes as long however many records there are.
   */
  revision(): Awaitable<number>;
  /**
   * The records of one owner, where the collection has one: they alone are found, listed, counted, changed and removed,
   * and what is created is the owner's. The revision is that of the collection. Of the store of all owners the documents
   * name the owner that they are for, by the member that has its id; that of a record never changes.
   *
   * @throws TypeError where the collection has no owner
   */
  within(owner: number): Store;
}

/**
 * What a record says, without what the store adds: an object that has a JSON form. Only its `id` means something to the
 * store, which sets `createdAt` and `updatedAt` itself.
 */
export type Document = object;

/** A record as it is stored. */
export interface StoredRecord {
  readonly id: number;
  /** The store's count of changes when this record last changed: later in commit order is greater. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** The JSON text that is sent: `{"id":1,…,"createdAt":"2026-06-15T12:00:00.000Z","updatedAt":"…"}`. */
  readonly json: string;
}

/** What is said with a read that may take long. */
export interface ReadOptions {
  /** Aborted when nobody waits for the answer any more: the store may then stop, and fail with StoreUnavailable. */
  readonly signal?: AbortSignal;
  /** Whose read it is: reads that may take long are made for one caller after another. Default: one for all. */
  readonly caller?: string;
}

export interface CreationOptions {
  /** Creates no other record when the same comes again within 24 hours. */
  readonly idempotency?: Idempotency;
}

/** What a client names an operation by, so that it can ask for it again when it had no answer. */
export interface Idempotency {
  readonly key: string;
  /** What was asked for, as a digest of it: another with the same key is refused. */
  readonly fingerprint: string;
}

/** What became of a document that was to be stored. */
export type Creation =
  | { readonly kind: "created"; readonly record: StoredRecord }
  /**
   * The key was used before for the same. The record is as it was created; undefined when it has been changed or removed
   * since, for nothing is kept of what it said.
   */
  | {
      readonly kind: "repeated";
      readonly id: number;
      /** That which the record had when it was created. */
      readonly revision: number;
      readonly record: StoredRecord | undefined;
    }
  /** The key was used before for something else. */
  | { readonly kind: "key-reused" }
  /** No record has the id that is to be the owner's. */
  | { readonly kind: "ownerless" }
  /** Another record has the same value of this member: one of those that are unique, or `id`, also once it is removed. */
  | { readonly kind: "conflict"; readonly member: string };

export interface BulkOptions {
  /** Whether nothing is to be stored where there is a record. Default: false. */
  readonly onlyIfEmpty?: boolean;
}

/** What became of many documents of which all or none were to be stored. */
export type BulkCreation =
  | { readonly kind: "created"; readonly count: number }
  /** Nothing is stored, for these reasons: the first 1,000. */
  | { readonly kind: "refused"; readonly conflicts: readonly BulkConflict[] }
  /** No record has the id that is to be the owner's. */
  | { readonly kind: "ownerless" };

/** A document that has the same value of a member as a record, or as a document before it; see `Creation`. */
export interface BulkConflict {
  /** From 1. */
  readonly position: number;
  readonly member: string;
}

/** What became of a record that was to say something else. */
export type Replacement =
  | { readonly kind: "replaced"; readonly record: StoredRecord }
  /** No record has the id. */
  | { readonly kind: "missing" }
  /** The record, here as it is now, does not have the expected revision. */
  | { readonly kind: "changed"; readonly record: StoredRecord }
  /** Another record has the same value of this member, which is to be unique. */
  | { readonly kind: "conflict"; readonly member: string };

/** What became of a record that was to be removed. */
export type Removal =
  | { readonly kind: "removed" }
  /** No record has the id. */
  | { readonly kind: "missing" }
  /** The record, here as it is now, does not have the expected revision. */
  | { readonly kind: "changed"; readonly record: StoredRecord };

/** The database cannot be used just now: it is busy, locked, full or closed. Trying again later may help. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
}

/**
 * The database failed while it was committing a change: whether that was stored can only be told by reading again. A change of
 * several records is stored as a whole or not at all.
 */
export class StoreOutcomeUnknown extends StoreUnavailable {
  override readonly name = "StoreOutcomeUnknown";
}

/** What was to be read takes longer than a read may. The same, later, may take as long: it is another selection or order that helps. */
export class StoreReadTimeout extends StoreUnavailable {
  override readonly name = "StoreReadTimeout";
}

/**
 * The database takes no changes, since it follows another one that does, or was made read-only; reads go on. Nothing was changed,
 * and trying again here helps only once the database is made one that takes changes.
 */
export class StoreReadOnly extends StoreUnavailable {
  override readonly name = "StoreReadOnly";
}

/**
 * The database has gone back to an older state, by a restored backup or a failover that lost something: changes that this program
 * saw committed are gone. It takes no more of them until `resume` of the database, since ids, revisions and with them entity tags
 * would be given a second time. Reads go on.
 */
export class StoreHistoryLost extends StoreUnavailable {
  override readonly name = "StoreHistoryLost";
}

/** The store cannot be opened; the message is one line that names it and says what to do. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
}

/** The store has records, so that others cannot be loaded into it. */
export class StoreNotEmpty extends Error {
  override readonly name = "StoreNotEmpty";
}
