import type { AnswerSource, Awaitable } from "waymark";
import type { Selection } from "./contract/selection.ts";
import type { SnapshotKey } from "./contract/snapshot.ts";
import type {
  BulkCreation,
  ChangeBatch,
  CountOptions,
  FirstBatch,
  ReadOptions,
  Store,
  StoredRecord,
} from "./contract/store.ts";
import type { FeedPlace } from "./reading/feed-cursor.ts";
import type { BulkSource } from "./writing/bulk-source.ts";
import type { OutcomeOf, Write } from "./writing/write.ts";

/**
 * Reads and writes the records of one collection in a database. Selections have been checked. An owner limits a read to the records
 * of that owner; undefined stands for all records.
 */
export interface Engine {
  /** As that of a `Store`. */
  readonly source?: AnswerSource | undefined;
  /** As that of a `Store`. */
  readonly listen?: Store["listen"];
  find(id: number, owner: number | undefined): Awaitable<StoredRecord | undefined>;
  batch(selection: Selection, owner: number | undefined, options: ReadOptions): Awaitable<FirstBatch>;
  count(selection: Selection, owner: number | undefined, options: CountOptions): Promise<number>;
  /** Returns the last revision, as `Store.revision`. */
  revision(): Awaitable<number>;
  /** Returns the state, as `Store.state`. */
  state(): Awaitable<string>;
  write<W extends Write>(write: W): Promise<OutcomeOf<W>>;
  /**
   * Reads changes.
   *
   * @throws StoreCursorGone (rejects) when the database does not have the changes up to the place, or is in another era
   */
  changes(range: FeedRange): Awaitable<EngineChanges>;
  /** Returns what is kept under a key of an owner, or of all; undefined without it. */
  keyed(owner: number, key: string): Promise<SnapshotKey | undefined>;
  /** @throws StoreNotEmpty (rejects) when `onlyIfEmpty` is true and the owner has records */
  createAll(source: BulkSource): Promise<BulkCreation>;
}

/** The changes to read. */
export interface FeedRange extends Pick<ReadOptions, "signal" | "caller"> {
  /** The place behind which they are. Undefined for all, `now` for none yet. */
  readonly after: FeedPlace | "now" | undefined;
  readonly owner: number | undefined;
  readonly most: number;
  /** In characters of JSON, exceeded by at most some records. */
  readonly size: number;
}

/** Changes, and the place behind them. */
export interface EngineChanges extends Pick<ChangeBatch, "changes" | "hasMore" | "isHeld" | "revision"> {
  readonly place: FeedPlace;
}
