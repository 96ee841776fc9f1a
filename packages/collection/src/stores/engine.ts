import type { AnswerSource, Awaitable } from "waymark";
import type { Selection } from "./contract/selection.ts";
import type {
  BulkChange,
  ChangeBatch,
  CountOptions,
  DocumentSource,
  EachCreation,
  ReadOptions,
  RecordBatch,
  StoredRecord,
} from "./contract/store.ts";
import type { FeedPlace } from "./reading/feed-cursor.ts";
import type { BulkSource } from "./writing/bulk-source.ts";
import type { Claim } from "./writing/decide.ts";
import type { NewRecord, OutcomeOf, Write } from "./writing/write.ts";

/**
 * Reads and writes the records of one collection in a database. Selections have been checked. An owner limits a read to the records
 * of that owner; undefined stands for all records.
 */
export interface Engine {
  /** As that of a `Store`. */
  readonly source?: AnswerSource | undefined;
  find(id: number, owner: number | undefined): Awaitable<StoredRecord | undefined>;
  batch(selection: Selection, owner: number | undefined, options: ReadOptions): Awaitable<EngineBatch>;
  count(selection: Selection, owner: number | undefined, options: CountOptions): Promise<number>;
  /** Returns the last revision of each partition, in order. */
  revisions(): Awaitable<readonly number[]>;
  write<W extends Write>(write: W): Promise<OutcomeOf<W>>;
  /** Creates records, each for itself. Rejects where none could be created because the database cannot be used. */
  createEach(
    records: readonly NewRecord[],
    source: DocumentSource | undefined,
  ): Promise<readonly PromiseSettledResult<EachCreation>[]>;
  /**
   * Reads changes.
   *
   * @throws StoreCursorGone (rejects) when the database does not have the changes up to the places, or has others there
   */
  changes(range: FeedRange): Awaitable<EngineChanges>;
  /** Returns for each claim the member whose value a stored record has; undefined where there is no conflict. */
  conflicts(claims: readonly Claim[]): Promise<readonly (string | undefined)[]>;
  /** @throws StoreNotEmpty (rejects) when `onlyIfEmpty` is true and the owner has records */
  createAll(source: BulkSource): Promise<BulkChange>;
}

/** The first records of a selection, and the last revision of each partition in the state that they show, or an earlier one. */
export interface EngineBatch extends RecordBatch {
  readonly revisions: readonly number[];
}

/** The changes to read. */
export interface FeedRange extends Pick<ReadOptions, "signal" | "caller"> {
  /**
   * The place in each partition, in order, behind which they are; the number of partitions may be another one. Undefined for all,
   * `now` for none yet.
   */
  readonly after: readonly FeedPlace[] | "now" | undefined;
  readonly owner: number | undefined;
  readonly most: number;
  /** In characters of JSON, exceeded by at most some records. */
  readonly size: number;
}

/** Changes, and the place behind them in each partition. */
export interface EngineChanges extends Pick<ChangeBatch, "changes" | "hasMore"> {
  readonly places: readonly FeedPlace[];
}
