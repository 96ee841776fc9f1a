import type { DatabaseObserver } from "./observer.ts";
import type { SelectableMember } from "./selection.ts";
import type { LoadOptions, Snapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

/** The collections that one database keeps, each behind a store; one of them for each database of a program. */
export interface Database {
  /**
   * The store of the collection with this name.
   *
   * @throws RangeError when the database was opened without it
   */
  store(collection: string): Store;
  /**
   * Resolves when the database can be used, with what for. While changes fail it also makes a change that leaves everything as it
   * was: so it rejects until changes are possible again.
   *
   * @throws StoreUnavailable (rejects) when the database cannot be used, or takes no changes just now
   */
  check(): Promise<DatabaseState>;
  /** Returns how much waits for the database and what it takes, for metrics. */
  figures(): DatabaseFigures;
  /** All that the collections have now; to be closed, since it holds a connection and what it has may not be cleared away. */
  snapshot(): Promise<Snapshot>;
  /**
   * Takes all that a snapshot has: records with their ids, revisions and times, so that they have the entity tags that they had;
   * the ids that are used up; the counters. It goes in steps, in constant memory. Until the last of them the database is opened by
   * nobody but who says so (`forLoading`); loaded again from the same database, now or as it is later, it goes on where it was.
   *
   * @throws LoadRefused (rejects) when there are, or were, records, or when another program writes to the database
   */
  load(snapshot: Snapshot, options?: LoadOptions): Promise<void>;
  /**
   * Accepts that the database went back to an older state: from now on ids and revisions begin above all that were given, up to
   * 1,000,000 of each, so that none is given twice, and no entity tag that a client has is that of another state. Programs that
   * refuse changes with StoreHistoryLost make them again.
   *
   * @throws StoreUnavailable (rejects) when the database cannot be changed just now
   */
  resume(): Promise<void>;
  /** Frees the database; its stores are unavailable from then on. Closing it again does nothing. */
  close(): Promise<void>;
}

/** What a database can be used for just now. */
export interface DatabaseState {
  /** Whether it is read alone, as a standby of PostgreSQL is, and changes fail with StoreReadOnly. */
  readonly readOnly: boolean;
}

/** How much waits for a database, and what it takes, at one moment. */
export interface DatabaseFigures {
  /** Changes that are not answered yet. */
  readonly waitingChanges: number;
  /** Reads that may take long and are not answered yet; of PostgreSQL those that wait for a connection. */
  readonly waitingReads: number;
  /** The sizes of the files in bytes; undefined where the database is not a file. */
  readonly files?: { readonly database: number; readonly log: number } | undefined;
  /** The connections, by what they are for; undefined where there are none. */
  readonly pools?: Readonly<Record<"records" | "changes" | "lists", PoolFigures>> | undefined;
}

export interface PoolFigures {
  /** Connections that are open or being opened. */
  readonly open: number;
  /** Those of them that nobody uses. */
  readonly idle: number;
  /** How much work waits for a connection. */
  readonly waiting: number;
}

/** What a database is opened with. */
export interface DatabaseOptions {
  /** Made where they are missing; those that the database has beside them stay as they are. */
  readonly collections: readonly CollectionDefinition[];
  /** The clock for `createdAt` and `updatedAt`. */
  readonly now?: () => Date;
  /** Whether it may be one that a snapshot was not wholly loaded into, to go on with that. Default: false. */
  readonly forLoading?: boolean;
  /** Receives what the database does. Default: none. */
  readonly observer?: DatabaseObserver | undefined;
}

/** What a database must know of a collection. */
export interface CollectionDefinition {
  /** Also names its table: a lower-case letter, then up to 62 of `a-z`, `0-9` and `_`. */
  readonly name: string;
  /**
   * Members of which no two records have the same value; they may be absent. Text compares by code points, with case;
   * the number 1 and the text "1" differ.
   */
  readonly unique?: readonly string[];
  /** The members, beside `id`, `createdAt` and `updatedAt`, that lists can be selected and sorted by; each costs an index. */
  readonly selectable?: readonly SelectableMember[];
  /** The members whose words lists can be searched for. */
  readonly fullText?: readonly string[];
  /** The collection that owns the records: each belongs to one of its records, and is removed with it. */
  readonly owner?: Ownership;
}

export interface Ownership {
  /** A collection of the same database. */
  readonly collection: string;
  /** The member that the store sets to the owner's id: `userId`. */
  readonly member: string;
}

/** The options of a PostgreSQL database. Times are in milliseconds. */
export interface PostgresDatabaseOptions extends DatabaseOptions {
  /** How many connections are opened at most, from 3. Default: 10. They are opened when they are needed. */
  readonly poolSize?: number;
  /** How long a connection may take until it can be used, and work may wait for one. Default: 3,000. */
  readonly connectTimeout?: number;
  /** How long the server may work on a statement. Default: 5,000. Its answer is waited for a second longer. */
  readonly statementTimeout?: number;
  /** How long a change waits for another transaction, of another program perhaps. Default: 2,000. */
  readonly lockTimeout?: number;
}
