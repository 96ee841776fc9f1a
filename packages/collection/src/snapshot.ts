import type { StoredRecord } from "./store.ts";

/** All that a database keeps of some collections as of one moment, whatever is written to it meanwhile. */
export interface Snapshot {
  /** Tells the database from every other one, also when it is opened again or by another address. */
  readonly identity: string;
  counters(collection: string): Promise<SnapshotCounters>;
  /** The records by ascending id, in batches that come to about 1 MiB. */
  records(collection: string, range?: SnapshotRange): AsyncIterable<readonly SnapshotRecord[]>;
  /** The ids that records had, and none may have again. */
  removals(collection: string): AsyncIterable<readonly number[]>;
  /** The keys by which records were created, and a creation that is sent again is known. */
  keys(collection: string): AsyncIterable<readonly SnapshotKey[]>;
  /** Frees it; nothing can be read from it then. Closing it again does nothing. */
  close(): Promise<void>;
}

export interface SnapshotCounters {
  /** The last revision that was given. */
  readonly revision: number;
  /** The greatest id that moves on the ids that are assigned. */
  readonly lastId: number;
  /** How many records there are. */
  readonly records: number;
}

/** Those of the records that are meant; all bounds hold together. */
export interface SnapshotRange {
  /** Only those with a greater id. */
  readonly after?: number;
  /** Only those with this id or a smaller one. */
  readonly upTo?: number;
  /** Only those with a greater revision. */
  readonly changedSince?: number;
}

/** A record with all that is kept of it. */
export interface SnapshotRecord extends StoredRecord {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface SnapshotKey {
  /** Of the record; 0 where the collection has no owner. */
  readonly owner: number;
  readonly key: string;
  readonly fingerprint: string;
  /** Of the record that was created. */
  readonly id: number;
  /** That which the record had then. */
  readonly revision: number;
  /** When it was created, in milliseconds since the epoch. */
  readonly time: number;
}

export interface LoadOptions {
  /** Told after each batch how many of the records are stored, those of an earlier attempt included. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

export interface LoadProgress {
  readonly collection: string;
  readonly stored: number;
  readonly total: number;
}

/** What is loaded cannot be; the message is one line that says why and what to do. */
export class LoadRefused extends Error {
  override readonly name = "LoadRefused";
}

export const notEmpty: string = "The database that is to be loaded into has, or had, records: name another one";
export const loadedFromElsewhere: string =
  "What the database has so far was loaded from another one: name that one, or another database to load into";
export const changedMeanwhile: string =
  "Another program has changed the database that is being loaded: load into a new one";

/** Why a database is not opened that a snapshot is being loaded into. */
export const unfinished: string =
  "what was being loaded into it is not all there; go on with that, or name another one";
