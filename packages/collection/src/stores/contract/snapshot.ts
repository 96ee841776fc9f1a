import type { StoredRecord } from "./store.ts";

/** The state of some collections at one moment, whatever is written meanwhile. */
export interface Snapshot {
  /** Identifies the database, also when it is opened again or by another address. */
  readonly identity: string;
  /** Reads the counters of a collection. */
  counters(collection: string): Promise<SnapshotCounters>;
  /** Lists the records by ascending id, in batches of about 1 MiB. */
  records(collection: string, range?: SnapshotRange): AsyncIterable<readonly SnapshotRecord[]>;
  /** Lists the removals of records by ascending id; no record may have one of their ids again. */
  removals(collection: string): AsyncIterable<readonly SnapshotRemoval[]>;
  /** Lists the idempotency keys of created records. */
  keys(collection: string): AsyncIterable<readonly SnapshotKey[]>;
  /** Frees the snapshot. Closing it again does nothing. */
  close(): Promise<void>;
}

/** The options of `openSnapshot`. */
export interface SnapshotOptions {
  /** Whether to read the whole file of an SQLite database first, to detect damage. Default: false. */
  readonly verify?: boolean;
}

/** The counters of a collection. */
export interface SnapshotCounters {
  /** The last revision; 0 where there never was a record. */
  readonly revision: number;
  /** The greatest id so far, which later ids go beyond. */
  readonly lastId: number;
  /** The number of records. */
  readonly records: number;
  /** What `changedSince` takes for the changes after this snapshot, in a later one of the same database. */
  readonly mark: number;
}

/** Bounds of the records; all hold together. */
export interface SnapshotRange {
  /** Only those with a greater id. */
  readonly after?: number;
  /** Only those with this id or a smaller one. */
  readonly upTo?: number;
  /** Only those that have changed after the snapshot with this mark. */
  readonly changedSince?: number;
}

/** A record with all that is kept of it. */
export interface SnapshotRecord extends StoredRecord {
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The removal of a record. */
export interface SnapshotRemoval {
  readonly id: number;
  /** The number of the change that removed it; 0 where it is not known. */
  readonly revision: number;
  /** The id of the record that owned it; 0 where the collection has no owner. */
  readonly owner: number;
}

/** An idempotency key, and the record that was created by it. */
export interface SnapshotKey {
  /** Of the record; 0 where the collection has no owner. */
  readonly owner: number;
  readonly key: string;
  readonly fingerprint: string;
  /** Of the record that was created. */
  readonly id: number;
  /** The revision that the record had then. */
  readonly revision: number;
  /** When it was created, in milliseconds since the epoch. */
  readonly time: number;
}

/** The options of `Database.restore`. */
export interface RestoreOptions {
  /** Called after each batch with the number of stored records, including those of an earlier attempt. */
  readonly onProgress?: (progress: RestoreProgress) => void;
  /**
   * In milliseconds: how long new records are stored before the restore stops, to be continued with a later snapshot. The source keeps
   * older data for a snapshot, which makes its changes slower the longer it is open. Default: no limit.
   */
  readonly stopAfter?: number;
}

/** The progress of a restore. */
export interface RestoreProgress {
  readonly collection: string;
  readonly stored: number;
  readonly total: number;
}

/** Thrown if a snapshot cannot be restored. The message is one line that says why and what to do. */
export class RestoreError extends Error {
  override readonly name = "RestoreError";
}

export const notEmpty: string = "The target database has, or had, records: name another one";
export const restoredFromElsewhere: string =
  "The target database has an unfinished restore from another source: name that source, or another target";
export const changedMeanwhile: string =
  "Another program has changed the target database during the restore: restore into a new one";

/** Why a database with an unfinished restore is not opened. */
export const unfinished: string = "a restore into it is not finished; continue the restore, or name another database";
