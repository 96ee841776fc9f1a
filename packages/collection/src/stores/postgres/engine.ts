import { andThen } from "waymark/internal";
import type { StoredCollection } from "../../database.ts";
import type { DatabaseObserver } from "../contract/observer.ts";
import type { Selection } from "../contract/selection.ts";
import type { Engine } from "../engine.ts";
import type { TransactedEngine } from "../open-transaction.ts";
import { presentNames } from "../present-names.ts";
import { keptCounts } from "../reading/kept-counts.ts";
import { dependsOnNothing, type OutcomeOf, type Write } from "../writing/write.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { throwStoreFault, toStoreFault } from "./connections/fault.ts";
import type { Ask } from "./connections/pool.ts";
import type { PostgresPools } from "./connections/pools.ts";
import type { Statement } from "./connections/session.ts";
import type { PostgresNotices } from "./notices.ts";
import { postgresFeed } from "./reading/feed.ts";
import { postgresFinds } from "./reading/finds.ts";
import { postgresLists } from "./reading/lists.ts";
import { postgresState } from "./reading/state.ts";
import { withRevision } from "./writing/batch.ts";
import { bulkCreate, lockLists } from "./writing/bulk-create.ts";
import { PostgresChanges } from "./writing/changes.ts";
import { keyedRecord } from "./writing/keys.ts";
import { postgresWriter } from "./writing/writer.ts";

/** The engine of a collection, and what its database asks of it. */
export interface PostgresEngine extends Engine {
  /** Returns the number of changes that wait for a transaction. */
  waitingChanges(): number;
  /** Makes the engine of the collection within a transaction of this connection. */
  transacted(connection: PostgresConnection): TransactedEngine;
  /** Makes the waiting changes, and accepts no more. */
  close(): Promise<void>;
}

interface EngineHooks {
  readonly onCommit: DatabaseObserver["onCommit"];
  readonly notices: PostgresNotices;
  /** Called when changes were read, with whether a transaction that still runs kept some from being read. */
  readonly onFeed: (isHeld: boolean) => void;
  /** @throws StoreUnavailable when not all records can be selected by that yet */
  readonly assertReady: (selection: Selection) => void;
}

/**
 * Makes the engine of a collection over the connections of its database.
 *
 * @param collections all collections of the database
 */
export function postgresEngine(
  pools: PostgresPools,
  definition: StoredCollection,
  collections: readonly StoredCollection[],
  { onCommit, onFeed, assertReady, notices }: EngineHooks,
): PostgresEngine {
  const find = postgresFinds(pools.records, definition);
  const changes = new PostgresChanges(definition, collections);
  const present = postgresState(pools.records, definition.name);
  const state = async (): Promise<string> => (await present()).state;
  const lists = postgresLists(pools.lists, definition, assertReady);
  const readChanges = postgresFeed(pools.lists, definition, onFeed);
  const writer = postgresWriter(pools.changes, changes, onCommit);
  const keptCount = keptCounts(state);
  const names = presentNames(definition.renamed);
  return {
    async find(id, owner) {
      const found = await find(id);
      return owner === undefined || found?.owner === owner ? names.record(found?.record) : undefined;
    },
    batch: lists.batch,
    count: (selection, owner, options) =>
      keptCount(selection, owner, options, (notBefore) => lists.count(selection, owner, { ...options, notBefore })),
    listen: notices.listen,
    revision: async () => (await present()).revision,
    state,
    changes: (range) => andThen(readChanges(range), names.changes),
    keyed: (owner, key) => keyedRecord((statement) => pools.records.read(statement), definition.name, owner, key),
    write: writer.write,
    async createAll(source) {
      try {
        const created = await bulkCreate(pools.bulk, changes, source);
        notices.send();
        return created;
      } catch (error) {
        throw toStoreFault(error);
      }
    },
    waitingChanges: () => writer.waiting,
    transacted: (connection) => postgresTransacted(connection, definition, changes, assertReady),
    close: () => writer.close(),
  };
}

/** Makes the engine of a collection within a transaction of a connection. */
function postgresTransacted(
  connection: PostgresConnection,
  definition: StoredCollection,
  changes: PostgresChanges,
  assertReady: EngineHooks["assertReady"],
): TransactedEngine {
  const ask: Ask = (statement) => connection.query(statement);
  const lists = postgresLists(
    {
      read: <Row extends readonly (string | null)[]>(statement: Statement, toFault = toStoreFault) =>
        connection.query<Row>(statement).catch((error: unknown) => {
          throw toFault(error);
        }),
    },
    definition,
    assertReady,
  );
  const write = async (write: Write): Promise<OutcomeOf<Write>> => {
    // Records of an owner are removed with it, whose number nothing bounds.
    if (write.kind === "remove" && changes.isOwner) await ask({ text: "SET LOCAL statement_timeout = '1h'" });
    if (dependsOnNothing(write)) {
      const [record] = await changes.rows.create(connection, [write]);
      if (record !== undefined) return { kind: "created", record };
    }
    const batch = await changes.read(connection, [write]);
    const outcome = batch.apply(write);
    if (!batch.isUnchanged) return withRevision(outcome, await changes.write(connection, batch));
    changes.spare(batch);
    return outcome;
  };
  return {
    async find(id, owner) {
      const found = await changes.row(connection, id).catch(throwStoreFault);
      return owner === undefined || found?.owner === owner ? found?.record : undefined;
    },
    batch: lists.batch,
    count: lists.count,
    keyed: (owner, key) => keyedRecord(ask, definition.name, owner, key).catch(throwStoreFault),
    write: <W extends Write>(each: W) => write(each).catch(throwStoreFault) as Promise<OutcomeOf<W>>, // the outcome of this very write
    keep: (keyed) => changes.keep(connection, keyed).catch(throwStoreFault),
    lock: (locks) => lockLists(connection, locks).catch(throwStoreFault),
  };
}
