import { historyLost } from "../contract/errors.ts";
import type { DatabaseObserver } from "../contract/observer.ts";
import type { Engine } from "../engine.ts";
import { keptCounts } from "../reading/kept-counts.ts";
import { toAdditions } from "../writing/origins.ts";
import { toStoreFault } from "./connections/fault.ts";
import type { PostgresPools } from "./connections/pool.ts";
import { postgresRevisions } from "./history/revisions.ts";
import type { Ask } from "./history/seals.ts";
import { postgresFeed } from "./reading/feed.ts";
import { postgresFinds } from "./reading/finds.ts";
import { postgresLists } from "./reading/lists.ts";
import type { PartitionedCollection } from "./table/partitions.ts";
import { bulkCreate } from "./writing/bulk-create.ts";
import { PostgresChanges } from "./writing/changes.ts";
import { conflictsOf } from "./writing/conflicts.ts";
import { postgresWriter } from "./writing/writer.ts";

/** The engine of a collection, and what its database asks of it. */
export interface PostgresEngine extends Engine {
  /** @throws StoreHistoryLost (rejects) when committed changes are gone */
  assertHistory(): Promise<void>;
  /** @throws StoreUnavailable (rejects) when another program has given the table another shape, so that all changes fail */
  assertShape(): Promise<void>;
  /** Returns whether committed changes are gone. Where this program finds that, every program then refuses changes. */
  compareHistory(): Promise<boolean>;
  /** Returns the number of changes that wait for a transaction. */
  waitingChanges(): number;
  /** Makes the waiting changes, and accepts no more. */
  close(): Promise<void>;
}

/**
 * Makes the engine of a collection over the connections of its database.
 *
 * @param collections all collections of the database
 */
export function postgresEngine(
  pools: PostgresPools,
  definition: PartitionedCollection,
  collections: readonly PartitionedCollection[],
  onCommit: DatabaseObserver["onCommit"],
): PostgresEngine {
  const find = postgresFinds(pools.records, definition);
  const changes = new PostgresChanges(definition, collections);
  const { counters } = changes;
  const revisions = postgresRevisions(pools, counters);
  const lists = postgresLists(pools.lists, definition, revisions);
  const readChanges = postgresFeed(pools.lists, definition);
  const writer = postgresWriter(pools.changes, changes, onCommit);
  const keptCount = keptCounts(() => revisions.read());
  const ask: Ask = (statement) => pools.records.read(statement);
  const compareHistory = async (): Promise<boolean> => {
    const { isLost } = await counters.read(ask);
    if (isLost) await counters.reportLoss(pools.changes);
    return isLost;
  };
  return {
    async find(id, owner) {
      const found = await find(id);
      return owner === undefined || found?.owner === owner ? found?.record : undefined;
    },
    batch: lists.batch,
    count: (selection, owner, options) =>
      keptCount(selection, owner, options, (notBefore) => lists.count(selection, owner, { ...options, notBefore })),
    revisions: () => revisions.read(),
    changes: readChanges,
    conflicts: (claims) => conflictsOf((statement) => pools.lists.read(statement), definition, claims),
    write: writer.write,
    createEach: (records, source) =>
      Promise.allSettled(toAdditions(records, source).map((write) => writer.write(write))),
    async createAll(source) {
      try {
        return await bulkCreate(pools, changes, source);
      } catch (error) {
        await counters.reportLoss(pools.changes);
        throw toStoreFault(error);
      }
    },
    async assertHistory() {
      if (await compareHistory()) throw historyLost(definition.name);
    },
    assertShape: () => counters.assertShape(ask),
    compareHistory,
    waitingChanges: () => writer.waiting,
    close: () => writer.close(),
  };
}
