import type { Awaitable } from "waymark";
import type { RenamedMember } from "./members/renamed.ts";
import type { MemberTable } from "./members/table.ts";
import type { DatabaseObserver } from "./stores/contract/observer.ts";
import type { ListMember, SearchedMember, SelectableMember } from "./stores/contract/selection.ts";
import type { RestoreOptions, Snapshot } from "./stores/contract/snapshot.ts";
import type { Document, Store, Transaction } from "./stores/contract/store.ts";

/** Keeps collections, each behind a store. A program opens a database once. */
export interface Database extends AsyncDisposable {
  /**
   * Returns the store of a collection. `T` is the type of its records, for `parseRecord`; nothing checks it.
   *
   * ```ts
   * const books = database.store<Book>("book");
   * ```
   *
   * @throws RangeError when the database was opened without it
   */
  store<T extends Document = Document>(collection: string): Store<T>;
  /**
   * Does work in a transaction over several collections, and returns its result once all changes are committed. What the work throws is
   * thrown on, and nothing is stored. It is as if transactions and other changes were made one after another.
   *
   * ```ts
   * await database.transaction(async (tx) => {
   *   const accounts = tx.store<Account>("account");
   *   const { balance } = parseRecord(await accounts.find(7)) ?? { balance: 0 };
   *   await accounts.replace(7, { balance: balance - 10 });
   *   await tx.store("payment").create({ accountId: 7, amount: 10 });
   * });
   * ```
   *
   * On PostgreSQL, work that meets other changes is undone and done again, up to five times: it must do nothing that the database
   * cannot take back. On SQLite, other changes wait until it ends.
   *
   * @throws Error (rejects) that names the place of the call when the work waits for something else for longer than `statementTimeout`
   *   of PostgreSQL or `busyTimeout` of SQLite, and 10 s for each document of a list, or takes ten times as long in all: then nothing is
   *   stored
   * @throws StoreUnavailable and StoreOutcomeUnknown (rejects) as changes do
   */
  transaction<R>(work: (tx: Transaction) => Awaitable<R>): Promise<R>;
  /**
   * Resolves if the database can be used, and says for what. While changes fail, it also tries a change without effect,
   * so it rejects until changes work again.
   *
   * @throws StoreUnavailable (rejects) when the database cannot be used, or takes no changes just now
   */
  check(): Promise<DatabaseState>;
  /** Returns the load of the database, for metrics. */
  figures(): DatabaseFigures;
  /**
   * Returns a snapshot of the collections at this moment. Close it: it holds a connection, and the database keeps older
   * data for it.
   */
  snapshot(): Promise<Snapshot>;
  /**
   * Stores everything in a snapshot: records with their ids, revisions and times, so that their entity tags stay the same; the used
   * ids; the counters. Works in steps, in constant memory. Until the last step the database can be opened only with `forRestore`; a
   * restore that broke off continues where it was, also from a later snapshot of the same database. Returns whether everything is
   * stored; false only with `stopAfter`.
   *
   * @throws RestoreError (rejects) when there are, or were, records, or when another program writes to the database
   */
  restore(snapshot: Snapshot, options?: RestoreOptions): Promise<boolean>;
  /**
   * Resolves when records can be selected by all that the definitions name, each by an index: makes what is missing of that. PostgreSQL
   * makes it by itself, too, while the database is open; SQLite only where `lateIndexes` has left it out.
   *
   * @throws StoreUnavailable (rejects) when the database cannot be changed just now
   */
  makeIndexes(): Promise<void>;
  /**
   * Returns the indexes of what no version uses any more that was opened within an hour, sorted by name, and drops them with `drop`. None
   * on SQLite, which drops them when a file is opened.
   *
   * @throws StoreUnavailable (rejects) when the database cannot be used just now
   */
  unusedIndexes(options?: { readonly drop?: boolean }): Promise<readonly string[]>;
  /**
   * Accepts that the database went back to an older state: from now on ids and revisions begin above all assigned ones, up to
   * 1,000,000 of each, so that no id and no entity tag is used twice, and cursors of before are refused. Programs that refuse
   * changes with StoreHistoryLost accept them again.
   *
   * @throws StoreUnavailable (rejects) when the database cannot be changed just now
   */
  resume(): Promise<void>;
  /** Frees the database, as the end of `await using` does; its stores cannot be used after that. Closing it again does nothing. */
  close(): Promise<void>;
}

/** What a database can be used for at the moment. */
export interface DatabaseState {
  /** Whether changes fail with StoreReadOnly, as on a standby of PostgreSQL. */
  readonly readOnly: boolean;
}

/** The load of a database at one moment. */
export interface DatabaseFigures {
  /** Changes that wait for their commit. */
  readonly waitingChanges: number;
  /** Long reads that wait for their turn; for PostgreSQL, those that wait for a connection. */
  readonly waitingReads: number;
  /** The sizes of the files in bytes; undefined where the database is not a file. */
  readonly files?: { readonly database: number; readonly log: number } | undefined;
  /** For PostgreSQL, for how many seconds a transaction that still runs has kept followers from changes; 0 when none does. */
  readonly feedHeldSeconds?: number | undefined;
  /** The connections, by what they are for; undefined for a database without connections. */
  readonly pools?: Readonly<Record<"records" | "changes" | "bulk" | "lists", PoolFigures>> | undefined;
}

export interface PoolFigures {
  /** Connections that are open or being opened. */
  readonly open: number;
  /** Those of them that nobody uses. */
  readonly idle: number;
  /** How much work waits for a connection. */
  readonly waiting: number;
}

/** The options of a database. */
export interface DatabaseOptions {
  /** The collections. Missing ones are created; others in the database stay as they are. */
  readonly collections: readonly CollectionDefinition[];
  /** The clock for `createdAt` and `updatedAt`. */
  readonly now?: () => Date;
  /** Whether to open a database with an unfinished restore, to continue it. Default: false. */
  readonly forRestore?: boolean;
  /**
   * Whether the indexes for lists are left to `makeIndexes` where an SQLite database has no table of the collection yet. It is for a
   * program that first stores many records. Every other program that opens the database makes these indexes, as does the next one if
   * this one ends without them. Default: false.
   */
  readonly lateIndexes?: boolean;
  /**
   * Called when the definition of a collection does not have members any more that it had when the database was last opened; the records
   * keep their values. SQLite then drops their columns and indexes, PostgreSQL keeps them for versions that still run. What it throws
   * leaves the database as it is. Default: nothing is called.
   */
  readonly onForgotten?: ((collection: string, members: readonly string[]) => void) | undefined;
  /** Receives events of the database. Default: none. */
  readonly observer?: DatabaseObserver | undefined;
}

/**
 * The definition of a collection of a database. With the type of its records, the compiler refuses a name that they lack;
 * `collection(…)` compares the names with the schema in any case.
 *
 * ```ts
 * const bookDefinition: CollectionDefinition<Book> = { name: "book", members: { isbn: { unique: true } } };
 * ```
 */
export interface CollectionDefinition<T extends Document = Document> {
  /** The name of the collection and of its table: a lower-case letter, then up to 62 of `a-z`, `0-9` and `_`. */
  readonly name: string;
  /**
   * The members, besides `id`, `createdAt` and `updatedAt`, by which lists can be filtered, sorted or searched, and those with unique
   * values. Text is unique by code points, with case; the number 1 and the text "1" differ. Default: none.
   */
  readonly members?: MemberTable<T>;
  /** The collection that owns the records: each belongs to one of its records, and is removed with it. */
  readonly owner?: Ownership;
}

/** The options of a database as the stores use them. */
export interface StoredOptions extends Omit<DatabaseOptions, "collections"> {
  readonly collections: readonly StoredCollection[];
}

/** A definition as the stores use it: data only, which threads can be sent. */
export interface StoredCollection extends Omit<CollectionDefinition, "members"> {
  readonly unique: readonly string[];
  /** The members with one value. */
  readonly selectable: readonly SelectableMember[];
  readonly lists: readonly ListMember[];
  readonly fullText: readonly SearchedMember[];
  readonly renamed: readonly RenamedMember[];
}

/** Which collection owns the records of another. */
export interface Ownership {
  /** A collection of the same database. */
  readonly collection: string;
  /** The member that the store sets to the owner's id: `userId`. */
  readonly member: string;
}

/** The options of a PostgreSQL database. Times are in milliseconds. */
export interface PostgresDatabaseOptions extends DatabaseOptions {
  /** The maximum of connections, at least 3, beside two for requests that change many records; opened when needed. Default: 14. */
  readonly poolSize?: number;
  /** How long connecting may take, and how long work may wait for a free connection. Default: 3,000. */
  readonly connectTimeout?: number;
  /** How long the server may work on a statement; the answer may take a second longer. Default: 5,000. */
  readonly statementTimeout?: number;
  /** How long a change waits for a lock of another transaction. Default: 2,000. */
  readonly lockTimeout?: number;
}
