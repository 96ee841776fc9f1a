import { requireOptions } from "waymark/internal";
import type { Database, PostgresDatabaseOptions, StoredCollection } from "../../database.ts";
import type { DatabaseObserver } from "../contract/observer.ts";
import type { Snapshot } from "../contract/snapshot.ts";
import { type DatabaseEngine, lostAtMost, recordDatabase } from "../record-database.ts";
import { databaseOptionTypes, toStoredCollections } from "../table/definition.ts";
import { notOpened } from "../unusable-database.ts";
import { parsePostgresAddress } from "./connections/address.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { reasonNotOpened, throwStoreFault } from "./connections/fault.ts";
import { PostgresPool } from "./connections/pool.ts";
import { dividePool, leastPoolSize, type PostgresPools } from "./connections/pools.ts";
import { openServerAt } from "./connections/servers.ts";
import type { PostgresTimeouts, Statement } from "./connections/session.ts";
import { type PostgresEngine, postgresEngine } from "./engine.ts";
import { beginEra, enterEra } from "./era.ts";
import { type PostgresBuilder, postgresBuilder } from "./layout/builder.ts";
import { drop, unusedIndexes } from "./layout/indexes.ts";
import { presentLayouts } from "./layout/migrations.ts";
import { type PostgresNotices, postgresNotices } from "./notices.ts";
import { patience, prepareDatabase } from "./prepare-database.ts";
import { feedHolder } from "./reading/feed.ts";
import { postgresRestoreTarget } from "./restore-target.ts";
import { openPostgresSnapshot } from "./snapshot.ts";
import { postgresTransactions } from "./writing/transaction.ts";

const optionTypes: requireOptions.Types<PostgresDatabaseOptions> = {
  ...databaseOptionTypes,
  poolSize: "number",
  connectTimeout: "number",
  statementTimeout: "number",
  lockTimeout: "number",
};

/** Implements `openPostgresDatabase` of the package, which loads this file when it is called. */
export async function openPostgresDatabase(address: string, options: PostgresDatabaseOptions): Promise<Database> {
  requireOptions("openPostgresDatabase(address, { … })", options, optionTypes);
  const { poolSize = 14 } = options;
  const { connectTimeout: connect = 3000, statementTimeout: statement = 5000, lockTimeout: lock = 2000 } = options;
  const collections = toStoredCollections(options.collections);
  if (!(Number.isInteger(poolSize) && poolSize >= leastPoolSize)) {
    throw new RangeError(`poolSize must be a whole number from ${leastPoolSize} on, not ${poolSize}`);
  }
  const timeouts: PostgresTimeouts = { connect, statement, lock };
  const parsed = parsePostgresAddress(address);
  const openServer = openServerAt(parsed);
  const openPatient = (): Promise<PostgresConnection> =>
    openServer({ ...timeouts, statement: patience, lock: patience });
  const builder = postgresBuilder(collections, openPatient);
  try {
    await prepareDatabase(openServer, timeouts, { ...options, collections }, presentLayouts);
    if (!options.forRestore) await builder.begin();
  } catch (error) {
    throw notOpened(parsed.display, reasonNotOpened(error), error);
  }
  const open = async (): Promise<PostgresConnection> => {
    const connection = await openServer(timeouts);
    await enterEra(connection);
    return connection;
  };
  const pools = dividePool(poolSize, connect, open);
  const notices = postgresNotices(pools.records, () => openServer(timeouts));
  if (!options.forRestore) builder.goOn((use) => pools.records.use(use));
  const engine = postgresDatabaseEngine(pools, collections, {
    builder,
    openSnapshot: () => openPostgresSnapshot(openServer, timeouts),
    restores: new PostgresPool(1, connect, () => openServer({ ...timeouts, statement: patience })),
    longestWait: statement,
    notices,
    onCommit(commit) {
      if (commit.error === undefined) notices.send();
      options.observer?.onCommit?.(commit);
    },
    onFeedHeld: options.observer?.onFeedHeld,
  });
  return recordDatabase(engine, { ...options, collections });
}

/** Implements `openSnapshot` of the package for a PostgreSQL database. */
export async function snapshotPostgresDatabase(address: string): Promise<Snapshot> {
  const parsed = parsePostgresAddress(address);
  try {
    return await openPostgresSnapshot(openServerAt(parsed), { connect: 3000, statement: 5000, lock: 2000 });
  } catch (error) {
    throw notOpened(parsed.display, reasonNotOpened(error), error);
  }
}

/** In milliseconds. */
const heldForLong = 1000;

interface EngineParts {
  readonly builder: PostgresBuilder;
  readonly openSnapshot: () => Promise<Snapshot>;
  /** A connection whose statements may take long. */
  readonly restores: PostgresPool;
  /** In milliseconds: how long the work in a transaction may wait for something else. */
  readonly longestWait: number;
  readonly notices: PostgresNotices;
  readonly onCommit: NonNullable<DatabaseObserver["onCommit"]>;
  readonly onFeedHeld: DatabaseObserver["onFeedHeld"];
}

function postgresDatabaseEngine(
  pools: PostgresPools,
  collections: readonly StoredCollection[],
  { builder, openSnapshot, restores, longestWait, notices, onCommit, onFeedHeld }: EngineParts,
): DatabaseEngine {
  const engines = new Map<string, PostgresEngine>();
  const transact = postgresTransactions({ pool: pools.changes, longestWait, onCommit });
  /** Since when a transaction has kept followers from changes. */
  let heldSince: number | undefined;
  let isReported = false;
  const reportHolder = (): void => {
    isReported = true;
    if (onFeedHeld === undefined) return;
    // Without an answer, the metric still says that followers wait.
    feedHolder((statement) => pools.records.read(statement)).then(onFeedHeld, () => undefined);
  };
  const change = (statement: Statement): Promise<unknown> =>
    pools.changes.use((connection) => connection.queryAlone(statement)).catch(throwStoreFault);
  return {
    collection(definition) {
      const engine = postgresEngine(pools, definition, collections, {
        onCommit,
        notices,
        assertReady: (selection) => builder.assertReady(definition.name, selection),
        onFeed(isHeld) {
          heldSince = isHeld ? (heldSince ?? performance.now()) : undefined;
          if (heldSince === undefined) isReported = false;
          else if (!isReported && performance.now() - heldSince > heldForLong) reportHolder();
        },
      });
      engines.set(definition.name, engine);
      return engine;
    },
    async check() {
      const [row] = await pools.records.read<readonly [readOnly: string]>({
        text: "SELECT current_setting('transaction_read_only') FROM waymark_collections LIMIT 1",
      });
      return { readOnly: row?.[0] === "on" };
    },
    snapshot: () => openSnapshot().catch(throwStoreFault),
    async restoreTarget() {
      // What is restored gets its indexes at the end.
      await builder.stop();
      const target = await postgresRestoreTarget(restores, collections);
      return {
        ...target,
        async end(counters) {
          await target.end(counters);
          builder.goOn();
        },
      };
    },
    figures: () => ({
      waitingChanges: [...engines.values()].reduce((sum, engine) => sum + engine.waitingChanges(), 0),
      waitingReads: pools.lists.figures.waiting,
      feedHeldSeconds: heldSince === undefined ? 0 : (performance.now() - heldSince) / 1000,
      pools: {
        records: pools.records.figures,
        changes: pools.changes.figures,
        bulk: pools.bulk.figures,
        lists: pools.lists.figures,
      },
    }),
    makeIndexes: () => builder.finish().catch(throwStoreFault),
    async unusedIndexes({ drop: areDropped = false } = {}) {
      const work = async (connection: PostgresConnection): Promise<readonly string[]> => {
        const unused: string[] = [];
        for (const definition of collections) unused.push(...(await unusedIndexes(connection, definition)));
        if (areDropped) for (const index of unused) await drop(connection, index);
        return unused;
      };
      return restores.use(work).catch(throwStoreFault);
    },
    async probeChanges() {
      // Rows that another transaction is changing can be changed; the probe does not wait for them.
      const free = "SELECT name FROM waymark_collections FOR UPDATE SKIP LOCKED";
      const text = `UPDATE waymark_collections SET name = name WHERE name IN (${free})`;
      await change({ text });
    },
    longestWait,
    transaction: (work, mayBeRepeated) =>
      transact(
        (connection) => work(({ name }) => (engines.get(name) as PostgresEngine).transacted(connection)), // each was made above
        mayBeRepeated,
      ),
    async resume() {
      await restores
        .use((connection) => connection.inTransaction(() => beginEra(connection, lostAtMost)))
        .catch(throwStoreFault);
    },
    async close() {
      await builder.stop();
      await Promise.all(Array.from(engines.values(), (engine) => engine.close()));
      await notices.close();
      await Promise.all([...Object.values(pools), restores].map((pool) => pool.close()));
    },
  };
}
