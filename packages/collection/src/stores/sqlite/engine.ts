import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Awaitable } from "waymark";
import type { StoredCollection } from "../../database.ts";
import { StoreNotEmpty } from "../contract/errors.ts";
import { type Selection, storeMembers } from "../contract/selection.ts";
import type { ReadOptions, RecordBatch } from "../contract/store.ts";
import type { Engine } from "../engine.ts";
import type { TransactedEngine } from "../open-transaction.ts";
import { batchOfFound, type ReadAgain } from "../reading/found-list.ts";
import { keptCounts } from "../reading/kept-counts.ts";
import { type RecordRow, recordColumns } from "../table/rows.ts";
import type { OutcomeOf, Write } from "../writing/write.ts";
import { guardedRead, toStoreFault } from "./connections/fault.ts";
import type { SharedReadLock, SqliteSource } from "./connections/source.ts";
import { prepareRows } from "./connections/statements.ts";
import { sqliteFeed } from "./reading/feed.ts";
import type { RecordPage } from "./reading/pages.ts";
import type { FoundState, SqliteQueries } from "./reading/queries.ts";
import type { SqliteReader } from "./reading/reader.ts";
import type { CommitterChannel } from "./writing/committer-channel.ts";
import { SqliteCounters } from "./writing/counters.ts";
import { sqliteKnown } from "./writing/known.ts";
import { mostTogether, ownedRecords } from "./writing/owned-records.ts";
import type { SqliteWriter } from "./writing/writer.ts";

/** The connections for reading and changing the collections of a database. */
export interface SqliteConnections {
  readonly database: DatabaseSync;
  /** The reads of many records over the same connection. */
  readonly queries: SqliteQueries;
  /** Makes the reads that may take long. */
  readonly reader: SqliteReader;
  readonly writer: SqliteWriter;
  /** Makes short reads of a file cheaper; undefined for a database in memory. */
  readonly lock: SharedReadLock | undefined;
  readonly source: SqliteSource;
}

/**
 * Makes the engine of a collection. Reads whose cost does not grow with the number of records run at once, on the calling thread;
 * other reads go to the reader, and changes to the writer.
 */
export function sqliteEngine(
  { database, queries, reader, writer, lock, source }: SqliteConnections,
  definition: StoredCollection,
  collections: readonly StoredCollection[],
): Engine {
  const { name: collection, owner: ownership } = definition;
  const prepare = (text: string): StatementSync => prepareRows(database, text);
  const find = `SELECT ${recordColumns} FROM "${collection}" WHERE id = ?`;
  const [finding, findingOwned] = [prepare(find), ownership && prepare(`${find} AND owner = ?`)];
  const readRevision = prepare("SELECT revision FROM waymark_collections WHERE name = ?");
  const known = sqliteKnown(database, definition, new SqliteCounters(database));
  const readChanges = sqliteFeed(database, collection);

  const revision = (): number => {
    lock?.beforeRead();
    // The collection's row was made when the database was opened, and is never deleted.
    return guardedRead(() => (readRevision.get(collection) as unknown as readonly [number])[0]);
  };
  const state = (): string => `${revision()}`;
  const keptCount = keptCounts(state);

  /** Finds the records of a selection in the reader, and reads the later ones here. */
  const list = foundLists(
    definition,
    (asked, options) => reader.read(options, "find", ...asked),
    (...asked) => {
      lock?.beforeRead();
      return queries.readFound(...asked);
    },
  );

  const owned = ownedRecords(collection, collections);
  const countOwned = owned.map(({ ids }) => prepare(`SELECT count(*) FROM (${ids})`));

  /** Returns whether a record owns so many that they are removed in steps. */
  const hasMany = (id: number): boolean => {
    lock?.beforeRead();
    const countOf = (count: StatementSync): number => (count.get(id, mostTogether + 1) as unknown as [number])[0]; // an aggregate has a row
    return guardedRead(() => countOwned.some((count) => countOf(count) > mostTogether));
  };

  return {
    source,
    find(id, owner) {
      lock?.beforeRead();
      let row: RecordRow<number> | undefined;
      try {
        // The statement returns arrays of the four columns, whose types the table enforces.
        row = (owner === undefined ? finding.get(id) : findingOwned?.get(id, owner)) as typeof row;
      } catch (error) {
        throw toStoreFault(error);
      }
      return row && { id: row[0], revision: row[1], updatedAt: row[2], json: row[3] };
    },
    batch(selection, owner, options) {
      lock?.beforeRead();
      const first = queries.atOnce(collection, selection, owner);
      if (first === undefined) return list(selection, owner, options);
      const batchOf = ({ records, rest }: RecordPage): RecordBatch => {
        const next = (selected: Selection): RecordBatch => {
          lock?.beforeRead();
          return batchOf(queries.page(collection, selected, owner, first.plan));
        };
        return { records, next: rest && (() => next(rest)) };
      };
      return { ...batchOf(first), state: `${first.revision}` };
    },
    async count(selection, owner, options) {
      const asked = [collection, selection, owner, options.most] as const;
      // The first count of a program would otherwise start the thread of the reader, which takes 25 ms and 10 MB.
      if (queries.isCountedAtOnce(...asked)) return queries.count(...asked);
      return keptCount(selection, owner, options, () => reader.read(options, "count", ...asked));
    },
    revision,
    state,
    changes(range) {
      lock?.beforeRead();
      return readChanges(range);
    },
    keyed: async (owner, key) => guardedRead(() => known.keyed(owner, key)),
    write: <W extends Write>(write: W) =>
      write.kind === "remove" && hasMany(write.id)
        ? (writer.removeInSteps(collection, write, owned) as Promise<OutcomeOf<W>>) // it is a removal
        : writer.write(collection, write),
    async createAll(documents) {
      const outcome = await writer.bulkCreate(collection, documents);
      if (outcome.kind === "not-empty") throw new StoreNotEmpty(`The collection ${collection} has records`);
      return outcome;
    },
  };
}

/** Makes the engine of a collection within a transaction of the committer, which reads there, too: so it sees its own changes. */
export function sqliteTransacted(
  channel: Pick<CommitterChannel, "ask">,
  definition: StoredCollection,
): TransactedEngine {
  const { name } = definition;
  return {
    async find(id, owner) {
      const row = await channel.ask("rowWithin", name, id);
      return owner === undefined || row?.owner === owner ? row?.record : undefined;
    },
    batch: foundLists(
      definition,
      (asked) => channel.ask("findWithin", ...asked),
      (...asked) => channel.ask("readWithin", ...asked),
    ),
    count: (selection, owner, { most }) => channel.ask("countWithin", name, selection, owner, most),
    keyed: (owner, key) => channel.ask("keyedWithin", name, owner, key),
    write: <W extends Write>(write: W) =>
      channel.ask("changeWithin", { collection: name, write }) as Promise<OutcomeOf<W>>, // the outcome of this very write
    keep: (keyed) => channel.ask("keepWithin", name, keyed),
    lock: async () => undefined, // nobody else changes anything meanwhile
  };
}

/** Makes what finds the records of a selection at once, and reads the later ones by their ids. */
function foundLists(
  { name, selectable }: StoredCollection,
  find: (asked: Parameters<SqliteQueries["find"]>, options: ReadOptions) => Promise<FoundState>,
  read: (...asked: Parameters<SqliteQueries["readFound"]>) => Awaitable<ReadAgain>,
) {
  const members = [...storeMembers, ...selectable];
  const list: Engine["batch"] = async (selection, owner, options) => {
    const { revision, ...found } = await find([name, selection, owner], options);
    const batch = batchOfFound(found, {
      selection,
      members,
      read: (ids) => read(name, selection, owner, revision, ids),
      find: async (rest) => list(rest, owner, options),
    });
    return { ...batch, state: `${revision}` };
  };
  return list;
}
