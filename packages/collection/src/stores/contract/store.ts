import type { AnswerSource, Awaitable } from "waymark";
import type { JsonSchema } from "waymark/openapi";
import type { SearchedMember, SelectableMember, Selection } from "./selection.ts";

/**
 * Keeps the records of one collection; the only interface between handlers and databases. `T` is the type of a record as
 * it was sent, which the store takes on trust.
 *
 * Ids are integers from 1 to 2^53-1 in ascending order. None is used twice, also after its record is removed or the
 * program restarts. Every method fails with StoreUnavailable if the database cannot be used.
 */
export interface Store<T extends Document = Document> {
  /** The members to filter and sort by: `storeMembers`, and those with which the collection was opened. */
  readonly members: readonly SelectableMember[];
  /** The members that can be searched. */
  readonly fullText: readonly SearchedMember[];
  /** The members with unique values. */
  readonly unique: readonly string[];
  /**
   * What owns the records, of which a document then names its own; undefined where nothing does, and in the store of one
   * owner's records.
   */
  readonly owner?: StoreOwner | undefined;
  /**
   * Has another revision after each change of any record of the database, whoever made it, from before the change is acknowledged;
   * for answers from memory. Undefined where to ask would take as long as to read.
   */
  readonly source?: AnswerSource | undefined;
  /** Where only some of the records are seen, a text that is another one where others are; undefined where all are. */
  readonly view?: string | undefined;
  /** Finds the record with this id, which may be any number; undefined if no record has it. */
  find(id: number): Awaitable<StoredRecord<T> | undefined>;
  /**
   * Reads the first records of a selection in its order, without one those with the lowest ids, and returns how to read the
   * records after them. Each batch is a read of its own: no connection and no transaction is held between two of them.
   *
   * A list that is a run of an index shows in each batch what is stored by then: only a record whose place changes meanwhile may come
   * twice or not at all. Any other list is found and sorted once, for its first batch. Later batches show the found records as they
   * are by then, each once, without those that have been removed or that the selection no longer has. With a `limit`, the rest is
   * found again where a record has changed.
   *
   * @throws TypeError when the store can make no sense of the selection
   * @throws StoreReadTimeout (rejects) when finding the records takes too long
   */
  batch(selection?: Selection, options?: ReadOptions): Awaitable<FirstBatch<T>>;
  /**
   * The records of a selection in its order, without one every record by ascending id, in the batches of `batch`, each read
   * when it is asked for.
   *
   * @throws TypeError and StoreReadTimeout (rejects) as `batch`
   */
  list(selection?: Selection, options?: ReadOptions): AsyncIterable<readonly StoredRecord<T>[]>;
  /**
   * Counts the records of a selection, or all; ignores its `after` and `limit`.
   *
   * @throws TypeError and StoreReadTimeout (rejects) as `batch`
   */
  count(selection?: Selection, options?: CountOptions): Awaitable<number>;
  /**
   * Stores a record; when the promise resolves, it survives a crash. An `id` in the document is used, and later ids go beyond
   * it, unless it is above 2^52.
   *
   * @throws RangeError when the document's `id` is not an integer from 1 to 2^53-1
   */
  create(document: T, options?: CreationOptions): Promise<Creation<T>>;
  /**
   * Has the record with this id say what the document says; once the promise resolves that survives a crash. `createdAt`
   * is kept, and `updatedAt` never goes back. A document that says what the record says changes nothing: the record has
   * the revision that it had. The document's own `id` is not looked at.
   *
   * @param expectedRevision the revision that the record must have; compared in the transaction that writes
   */
  replace(id: number, document: T, expectedRevision?: number): Promise<Replacement<T>>;
  /**
   * Removes the record with this id, which no record gets again. When the promise resolves, the removal survives a
   * crash.
   *
   * @param expectedRevision as for `replace`
   */
  remove(id: number, expectedRevision?: number): Promise<Removal<T>>;
  /**
   * Stores many records, all or none, in constant memory: documents are requested as they are stored. Other writes wait
   * meanwhile, so it is given up if no document arrives for ten seconds. In PostgreSQL, other writes go on beside thousands of
   * records without an `id`: the revisions then begin 10,000,000 above the last one.
   *
   * @throws StoreNotEmpty when there are records, with `onlyIfEmpty`
   * @throws RangeError as `create` does; what the documents throw is thrown on. Then nothing is stored
   */
  createAll(documents: Iterable<T> | AsyncIterable<T>, options?: BulkOptions): Promise<BulkCreation>;
  /**
   * Makes many changes, all or none, in their order and in constant memory, as `createAll` does. Other writes wait meanwhile. A change
   * may take a unique value that another one of them gives up, so that two records can swap theirs.
   *
   * The first change is requested when the transaction has begun: what `changes` reads of the store is then the state that is changed,
   * on PostgreSQL as far as its `locks` reach.
   *
   * @throws RangeError as `create` does; what the changes throw is thrown on. Then nothing is changed
   */
  changeAll(
    changes: Iterable<ListChange<T>> | AsyncIterable<ListChange<T>>,
    options?: BulkChangeOptions,
  ): Promise<BulkCreation>;
  /** Returns the text that changes within 24 hours kept under a key; undefined without one. */
  kept(key: string): Promise<string | undefined>;
  /**
   * Returns the last revision; 0 for a store that never had a record. Each change, removals
   * included, makes it greater by one, and some make it greater by more. The time does not depend on the number of records.
   */
  revision(): Awaitable<number>;
  /**
   * Returns a text that is another one after each change. Records that are read afterwards are of this state or a later one. The time
   * does not depend on the number of records.
   */
  state(): Awaitable<string>;
  /**
   * Calls back soon after records of the database have changed, until it is stopped. Undefined where only the `state` says it.
   */
  readonly listen?: ((onChange: () => void) => Listening) | undefined;
  /**
   * Reads the changes behind a cursor, the oldest first; without one, from the beginning: so a first copy and following are one loop.
   * Each changed record comes once, in its latest state, or as removed. Nothing that was committed is skipped: a later read returns
   * what is committed after this one.
   *
   * ```ts
   * for (let cursor: string | undefined; ; ) {
   *   const { changes, cursor: next, hasMore } = await books.changes(cursor);
   *   for (const change of changes) await apply(change);
   *   cursor = next;
   *   if (!hasMore) break;
   * }
   * ```
   *
   * @param after a cursor that this method returned, at any time, in any process; or `now`, for a cursor behind all changes
   * @throws StoreCursorInvalid (rejects) when the cursor is not one of this store
   * @throws StoreCursorGone (rejects) when changes before the cursor are lost
   * @throws StoreUnavailable (rejects) also on a standby that does not have the changes up to the cursor yet
   */
  changes(after?: string, options?: ChangesOptions): Promise<ChangeBatch<T>>;
  /**
   * Returns the store of the records of one owner: only these are found, listed, counted, changed and removed, and a new record
   * belongs to the owner. The revision is that of the collection. In the store of all owners, a document names its owner by the
   * member with the owner's id; the owner of a record never changes.
   *
   * @throws TypeError where the collection has no owner
   */
  within(owner: number): Store<T>;
  /**
   * Does work in a transaction, as `Database.transaction` does, with this store as it is there.
   *
   * @param began names the place where it began, for messages. Default: where this is called
   */
  transaction<R>(work: (store: Store<T>, tx: Transaction) => Awaitable<R>, began?: object): Promise<R>;
}

/** What hears of changes. */
export interface Listening {
  /** Whether it hears now of those of every program, and not only of this one: else the `state` says more. */
  readonly isHeard: boolean;
  stop(): void;
}

/** A transaction that runs. What is read and changed by its stores is one: others see all of it once it is committed, or nothing. */
export interface Transaction {
  /**
   * Returns a store in the transaction, as `Database.store` does. It sees what the transaction has changed, and has all methods but
   * `changes`, `revision`, `state` and `transaction`.
   *
   * @throws RangeError when the database was opened without it
   */
  store<T extends Document = Document>(collection: string): Store<T>;
}

/** What owns the records of a store. */
export interface StoreOwner {
  /** The member of a record that has the id of its owner. */
  readonly member: string;
  /** The store of the owners. */
  readonly store: Store;
}

/**
 * The content of a record: an object with a JSON form. The store reads only its `id`, and sets `createdAt` and
 * `updatedAt`.
 */
export type Document = object;

/** Returns whether a value can be the id of a record: an integer from 1 to 2^53-1. */
export function isRecordId(id: unknown): id is number {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1;
}

/** The JSON Schema of the id of a record. */
export const recordIdSchema: JsonSchema = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

/** A record as it is stored. */
export interface StoredRecord<T extends Document = Document> {
  readonly id: number;
  /** The number of the change that last changed this record; a later change of the record has a greater one. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  /** The JSON text that is sent: `{"id":1,…,"createdAt":"2026-06-15T12:00:00.000Z","updatedAt":"…"}`. */
  readonly json: string;
  /** The type of the record as it was sent; exists only at compile time. */
  readonly type?: T;
}

/** Some of the records of a selection. */
export interface RecordBatch<T extends Document = Document> {
  /** About 64 KiB of JSON; empty where there are no more records, or where those of this batch have been removed. */
  readonly records: readonly StoredRecord<T>[];
  /** Reads the batch after this one; undefined when this one is known to be the last. It may be called again. */
  readonly next: (() => Awaitable<RecordBatch<T>>) | undefined;
  /** The bytes of memory that are kept for the batches after this one. Default: 0. */
  readonly keptBytes?: number;
}

/** The first records of a selection, and the state of the store that they show. */
export interface FirstBatch<T extends Document = Document> extends RecordBatch<T> {
  /** What `state` returned when these records were read, or shortly before. Later batches show this state or a later one. */
  readonly state: string;
}

/** A change of a record: its latest state, or its removal. */
export type RecordChange<T extends Document = Document> =
  | { readonly kind: "stored"; readonly record: StoredRecord<T> }
  | {
      readonly kind: "removed";
      readonly id: number;
      /** The number of the change that removed it. */
      readonly revision: number;
    };

/** Some changes of the records, in their order. */
export interface ChangeBatch<T extends Document = Document> {
  readonly changes: readonly RecordChange<T>[];
  /**
   * The cursor behind these changes: a text of `A-Z`, `a-z`, `0-9`, `-` and `_`. It stays valid when the program or the database
   * starts again, but not in a copy of the database.
   */
  readonly cursor: string;
  /** Whether there were more changes behind these when they were read. */
  readonly hasMore: boolean;
  /**
   * Whether there are changes that cannot be read yet, because a transaction that began before them still runs; on PostgreSQL only. A
   * later read behind the cursor has them. Default: false.
   */
  readonly isHeld?: boolean;
  /** The revision up to which the cursor is, as `Store.revision` counts: their difference is how far a follower is behind, at most. */
  readonly revision: number;
}

/** The options of `Store.changes`. */
export interface ChangesOptions extends Pick<ReadOptions, "signal" | "caller"> {
  /** The maximum of changes, from 1 to 1,000. There may be fewer, and none, while `hasMore` is true. Default: 1,000. */
  readonly limit?: number;
}

/** The value of a record: what was sent, and what the store has set. */
export type RecordValue<T extends Document> = Omit<T, "id" | "createdAt" | "updatedAt"> & {
  readonly id: number;
  /** RFC 3339, in UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
};

/**
 * Returns the value of a record of a typed store. The type is that of the store: the value is not validated again.
 *
 * ```ts
 * const books = database.store<Book>("book");
 * parseRecord(await books.find(7))?.title;
 * ```
 */
export function parseRecord<T extends Document>(record: StoredRecord<T>): RecordValue<T>;
export function parseRecord<T extends Document>(record: StoredRecord<T> | undefined): RecordValue<T> | undefined;
export function parseRecord<T extends Document>(record: StoredRecord<T> | undefined): RecordValue<T> | undefined {
  return record === undefined ? undefined : JSON.parse(record.json);
}

/** The options of a read that may take long. */
export interface ReadOptions {
  /** Aborts when the result is no longer needed: the store may then stop, and fail with StoreUnavailable. */
  readonly signal?: AbortSignal;
  /** Whose read it is: reads that may take long are made for one caller after another. Default: one for all. */
  readonly caller?: string;
  /**
   * The state of a `FirstBatch`: the read shows that state or a later one, also where several servers answer. Default: any state.
   */
  readonly notBefore?: string | undefined;
}

/** The options of `Store.count`. */
export interface CountOptions extends ReadOptions {
  /** The number at which counting ends, from 1: where there are more records, it is the answer. Default: all are counted. */
  readonly most?: number;
}

/** The options of `Store.create`. */
export interface CreationOptions {
  /** Makes a repeated creation within 24 hours store no second record. */
  readonly idempotency?: Idempotency;
}

/** What identifies an operation, so that a client without an answer can repeat it. */
export interface Idempotency {
  readonly key: string;
  /** A digest of what was sent: another one with the same key is refused. */
  readonly fingerprint: string;
}

/** The result of a creation. */
export type Creation<T extends Document = Document> =
  | { readonly kind: "created"; readonly record: StoredRecord<T> }
  /**
   * The key was used before for the same. The record is as it was created; undefined when it has been changed or removed
   * since, because its former content is not kept.
   */
  | {
      readonly kind: "repeated";
      readonly id: number;
      /** The revision that the record had when it was created. */
      readonly revision: number;
      readonly record: StoredRecord<T> | undefined;
    }
  /** The key was used before for something else. */
  | { readonly kind: "key-reused" }
  /** No record has the id that is to be the owner's. */
  | { readonly kind: "ownerless" }
  /** Another record has the same value of this member: one of those that are unique, or `id`, also once it is removed. */
  | { readonly kind: "conflict"; readonly member: string };

/** The options of `Store.createAll`. */
export interface BulkOptions {
  /** Whether nothing is to be stored where there is a record. Default: false. */
  readonly onlyIfEmpty?: boolean;
}

/** The options of `Store.changeAll`. */
export interface BulkChangeOptions {
  /** Asked when all changes are made: whether they are undone. The result is the same. Default: they are kept. */
  readonly undo?: () => boolean;
  /** Texts: changes with one of them wait until other ones with it have ended. Default: none. */
  readonly locks?: readonly string[];
  /** A text to keep under a key for 24 hours, stored with the changes. It may be asked for when all are made. Default: none. */
  readonly keep?:
    | {
        /** The key, by which `kept` finds it. */
        readonly key: string;
        /** Returns the text; called when all changes are made. */
        readonly text: () => string;
      }
    | undefined;
}

/** The result of storing many documents, or of many changes. */
export type BulkCreation =
  | { readonly kind: "created"; readonly count: number }
  /** Nothing was stored, because of these: the first 1,000. */
  | { readonly kind: "refused"; readonly conflicts: readonly BulkConflict[] }
  /** No record has the id that is to be the owner's. */
  | { readonly kind: "ownerless" };

/** A change among many; see `create`, `replace` and `remove`. */
export type ListChange<T extends Document = Document> =
  | { readonly kind: "create"; readonly document: T }
  | {
      readonly kind: "replace";
      readonly id: number;
      readonly document: T;
      readonly expectedRevision?: number | undefined;
    }
  | { readonly kind: "remove"; readonly id: number; readonly expectedRevision?: number | undefined };

/** A change that cannot be made beside the others; see `Creation`. */
export interface BulkConflict {
  /** From 1. */
  readonly position: number;
  /** The member whose value another record has; undefined where the record to be changed has another revision, or is gone. */
  readonly member: string | undefined;
}

/** The result of a replacement. */
export type Replacement<T extends Document = Document> =
  | { readonly kind: "replaced"; readonly record: StoredRecord<T> }
  | Exclude<Removal<T>, { readonly kind: "removed" }>
  /** Another record has the same value of this member, which is to be unique. */
  | { readonly kind: "conflict"; readonly member: string };

/** The result of a removal. */
export type Removal<T extends Document = Document> =
  | { readonly kind: "removed" }
  /** No record has the id. */
  | { readonly kind: "missing" }
  /** The record, here as it is now, does not have the expected revision. */
  | { readonly kind: "changed"; readonly record: StoredRecord<T> };
