import type { DatabaseObserver } from "../../observer.ts";
import type { Selection } from "../../selection.ts";
import type { BulkChange, CountOptions, DocumentSource, EachCreation, ReadOptions, StoredRecord } from "../../store.ts";
import type { BulkSource } from "../bulk-source.ts";
import type { Claim } from "../decide.ts";
import type { Engine, EngineBatch, EngineChanges, FeedRange } from "../engine.ts";
import { KeptCounts } from "../kept-counts.ts";
import { toAdditions } from "../origins.ts";
import type { NewRecord, OutcomeOf, Write } from "../write.ts";
import { bulkCreate } from "./bulk-create.ts";
import { PostgresChanges } from "./changes.ts";
import { conflictsOf } from "./conflicts.ts";
import { historyLost } from "./counters.ts";
import { toStoreFault } from "./fault.ts";
import { PostgresFeed } from "./feed.ts";
import { PostgresFinds } from "./finds.ts";
import { PostgresLists } from "./lists.ts";
import type { PartitionedCollection } from "./partitions.ts";
import type { PostgresPools } from "./pool.ts";
import { PostgresRevisions } from "./revisions.ts";
import { PostgresWriter } from "./writer.ts";

/** Reads and changes one collection over the connections of its database. */
export class PostgresEngine implements Engine {
  readonly #definition: PartitionedCollection;
  readonly #pools: PostgresPools;
  readonly #finds: PostgresFinds;
  readonly #lists: PostgresLists;
  readonly #revisions: PostgresRevisions;
  readonly #changes: PostgresChanges;
  readonly #writer: PostgresWriter;
  readonly #feed: PostgresFeed;
  readonly #counts = new KeptCounts(() => this.revisions());

  /** @param collections all collections of the database */
  constructor(
    pools: PostgresPools,
    definition: PartitionedCollection,
    collections: readonly PartitionedCollection[],
    onCommit: DatabaseObserver["onCommit"],
  ) {
    this.#definition = definition;
    this.#pools = pools;
    this.#finds = new PostgresFinds(pools.records, definition);
    this.#changes = new PostgresChanges(definition, collections);
    this.#revisions = new PostgresRevisions(pools, this.#changes.counters);
    this.#lists = new PostgresLists(pools.lists, definition, this.#revisions);
    this.#feed = new PostgresFeed(pools.lists, definition);
    this.#writer = new PostgresWriter(pools.changes, this.#changes, onCommit);
  }

  async find(id: number, owner: number | undefined): Promise<StoredRecord | undefined> {
    const found = await this.#finds.find(id);
    return owner === undefined || found?.owner === owner ? found?.record : undefined;
  }

  batch(selection: Selection, owner: number | undefined, options: ReadOptions): Promise<EngineBatch> {
    return this.#lists.batch(selection, owner, options);
  }

  count(selection: Selection, owner: number | undefined, options: CountOptions): Promise<number> {
    return this.#counts.of(selection, owner, options, (notBefore) =>
      this.#lists.count(selection, owner, { ...options, notBefore }),
    );
  }

  revisions(): Promise<readonly number[]> {
    return this.#revisions.read();
  }

  changes(range: FeedRange): Promise<EngineChanges> {
    return this.#feed.read(range);
  }

  conflicts(claims: readonly Claim[]): Promise<readonly (string | undefined)[]> {
    return conflictsOf((statement) => this.#pools.lists.read(statement), this.#definition, claims);
  }

  write<W extends Write>(write: W): Promise<OutcomeOf<W>> {
    return this.#writer.write(write);
  }

  createEach(
    records: readonly NewRecord[],
    source: DocumentSource | undefined,
  ): Promise<readonly PromiseSettledResult<EachCreation>[]> {
    return Promise.allSettled(toAdditions(records, source).map((write) => this.write(write)));
  }

  async createAll(source: BulkSource): Promise<BulkChange> {
    try {
      return await bulkCreate(this.#pools, this.#changes, source);
    } catch (error) {
      await this.#changes.counters.reportLoss(this.#pools.changes);
      throw toStoreFault(error);
    }
  }

  /** @throws StoreHistoryLost (rejects) when committed changes are gone */
  async assertHistory(): Promise<void> {
    if (await this.compareHistory()) throw historyLost(this.#definition.name);
  }

  /** @throws StoreUnavailable (rejects) when another program has given the table another shape, so that all changes fail */
  assertShape(): Promise<void> {
    return this.#changes.counters.assertShape((statement) => this.#pools.records.read(statement));
  }

  /** Returns whether committed changes are gone. Where this program finds that, every program then refuses changes. */
  async compareHistory(): Promise<boolean> {
    const { counters } = this.#changes;
    const { isLost } = await counters.read((statement) => this.#pools.records.read(statement));
    if (isLost) await counters.reportLoss(this.#pools.changes);
    return isLost;
  }

  /** The number of changes that wait for a transaction. */
  get waitingChanges(): number {
    return this.#writer.waiting;
  }

  /** Makes the waiting changes, and accepts no more. */
  close(): Promise<void> {
    return this.#writer.close();
  }
}
