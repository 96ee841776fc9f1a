import type { DatabaseSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import type { MemberFilter, Selection } from "../../contract/selection.ts";
import type { StoredRecord } from "../../contract/store.ts";
import { where } from "../../reading/conditions.ts";
import type { FoundRecords, ReadAgain } from "../../reading/found-list.ts";
import { hasSought, mayBeForNumber } from "../../table/numbers.ts";
import { type RecordRow, recordColumns, toRecord } from "../../table/rows.ts";
import { guardedRead } from "../connections/fault.ts";
import { StatementCache } from "../connections/statements.ts";
import { selectableColumns } from "../table/columns.ts";
import { type Columns, hasSoughtFunction, SqliteDialect } from "../table/dialect.ts";
import { idsByGroups } from "./groups.ts";
import {
  type FirstPage,
  mostCharacters,
  ReadBound,
  type RecordPage,
  readAtOnce,
  readPage,
  revisionOf,
} from "./pages.ts";
import { countFound, countFoundUpTo, planOf, type SelectableRecords, type SelectionPlan } from "./plan.ts";
import { SqliteSelection } from "./selection.ts";

/** What is found of a selection, and the revision of the collection in that state. */
export interface FoundState extends FoundRecords {
  readonly revision: number;
}

/** Makes the reads of many records over one connection. The selections must have been checked. */
export class SqliteQueries {
  readonly #database: DatabaseSync;
  readonly #columns: ReadonlyMap<string, Columns>;
  readonly #statements: StatementCache;
  readonly #documents: ReadonlyMap<string, SelectableRecords["documents"]>;
  readonly #isStoppable: boolean;
  readonly #bound: ReadBound;

  /** @param mustStop returns whether the statement that runs must end. Default: none must, and only bounded reads ask. */
  constructor(database: DatabaseSync, collections: readonly StoredCollection[], mustStop?: () => boolean) {
    this.#database = database;
    this.#columns = new Map(collections.map((definition) => [definition.name, selectableColumns(definition)]));
    this.#documents = new Map(collections.map(({ name }) => [name, { areLong: false }]));
    this.#statements = new StatementCache(database);
    this.#isStoppable = mustStop !== undefined;
    this.#bound = ReadBound.of(database, mustStop);
    const searched = new Map(collections.map(({ name, fullText }) => [name, fullText]));
    database.function(hasSoughtFunction, (collection, document, words, isLastSought) => {
      const members = searched.get(String(collection)) ?? [];
      return Number(hasSought(JSON.parse(String(document)), members, JSON.parse(String(words)), isLastSought === 1));
    });
  }

  /** Reads the first records of a selection as `readAtOnce` does. */
  atOnce(collection: string, selection: Selection, owner: number | undefined): FirstPage | undefined {
    return guardedRead(() => readAtOnce(this.#recordsOf(collection, owner), selection, this.#bound));
  }

  /** Reads the next records of a selection by the plan of the first ones. */
  page(collection: string, selection: Selection, owner: number | undefined, plan: SelectionPlan): RecordPage {
    return guardedRead(() => readPage(this.#recordsOf(collection, owner), selection, plan));
  }

  /** Finds all records of any selection, and reads the first of them in the same state of the database. */
  find(collection: string, selection: Selection, owner: number | undefined): FoundState {
    return guardedRead(() =>
      this.#inOneState(() => {
        const records = this.#recordsOf(collection, owner);
        const ids = findIds(records, selection);
        const first = this.#read(ids, this.#rows(collection));
        return { records: first.records, rest: ids.slice(first.count), revision: revisionOf(records) };
      }),
    );
  }

  /**
   * Reads the first of some records that were found, as they are now: by their ids, in a time that does not depend on the number of
   * records.
   *
   * @param found the revision of the collection in which they were found
   */
  readFound(
    collection: string,
    selection: Selection,
    owner: number | undefined,
    found: number,
    ids: Float64Array,
  ): ReadAgain {
    let areUnchanged = true;
    const read = this.#rows(collection);
    const rowOf = (id: number): RecordRow<number> | undefined => {
      const row = read(id);
      if (row !== undefined && row[1] <= found) return row;
      areUnchanged = false;
      return row && this.#matchingRow(collection, selection, owner, id);
    };
    const { records, count } = guardedRead(() => this.#read(ids, rowOf));
    return { records, count, areUnchanged };
  }

  count(
    collection: string,
    { filters = [], words = [] }: Selection,
    owner: number | undefined,
    most: number | undefined,
  ): number {
    const records = this.#recordsOf(collection, owner);
    if (words.length > 0 && !mayBeForNumber(words) && filters.length === 0 && owner === undefined)
      return guardedRead(() =>
        most === undefined ? countFound(records, words) : countFoundUpTo(records, most, words),
      );
    const led = filters.find(({ member, operator }) => records.columns.get(member)?.list && operator !== "ne");
    const list = led && records.columns.get(led.member)?.list;
    const dialect = new SqliteDialect(records);
    const table = list === undefined ? `"${collection}"` : dialect.tableByValues(list, led as MemberFilter, owner);
    const conditions = dialect.conditions({ filters: filters.filter((filter) => filter !== led), words, owner });
    // Without conditions, SQLite counts by the pages of an index, which takes a quarter of the time.
    const text = where(conditions.length === 0 ? [] : [...dialect.stopConditions(), ...conditions]);
    return guardedRead(() => {
      const rows =
        most === undefined ? `${table} ${text}` : `(SELECT 1 FROM ${table} ${text} LIMIT ${dialect.add(most)})`;
      const statement = this.#statements.prepare(`SELECT count(*) FROM ${rows}`);
      const [count] = statement.get(...dialect.values) as unknown as [number]; // an aggregate has a row
      return count;
    });
  }

  /** Returns whether `count` takes no longer than reading a page: it counts all records, and their ids are close together. */
  isCountedAtOnce(
    collection: string,
    { filters = [], words = [] }: Selection,
    owner: number | undefined,
    most: number = Number.POSITIVE_INFINITY,
  ): boolean {
    if (filters.length > 0 || words.length > 0 || owner !== undefined) return false;
    if (most <= countedOneByOne + 1) return true;
    return guardedRead(() => {
      const ends = `SELECT (SELECT max(id) FROM "${collection}") - (SELECT min(id) FROM "${collection}")`;
      const [distance] = this.#statements.prepare(ends).get() as unknown as [number | null]; // this has always a row
      return (distance ?? 0) < countedAtOnce;
    });
  }

  /** Reads records by their ids until there is a batch; at least one id. */
  #read(
    ids: Float64Array,
    rowOf: (id: number) => RecordRow<number> | undefined,
  ): { readonly records: readonly StoredRecord[]; readonly count: number } {
    const records: StoredRecord[] = [];
    let [count, size] = [0, 0];
    for (; count < ids.length && count < mostInBatch && size < mostCharacters; count++) {
      const row = rowOf(ids[count] as number); // the count is within the ids
      if (row === undefined) continue;
      records.push(toRecord(row));
      size += row[3].length;
    }
    return { records, count };
  }

  /** Returns what reads the row of a record. */
  #rows(collection: string): (id: number) => RecordRow<number> | undefined {
    const statement = this.#statements.prepare(`SELECT ${recordColumns} FROM "${collection}" WHERE id = ?`);
    return (id) => statement.get(id) as unknown as RecordRow<number> | undefined; // the columns have these types
  }

  /** Returns the row of a record if the selection has it now. */
  #matchingRow(
    collection: string,
    { filters = [], words = [] }: Selection,
    owner: number | undefined,
    id: number,
  ): RecordRow<number> | undefined {
    const records = { ...this.#recordsOf(collection, owner), isStoppable: false };
    const dialect = new SqliteDialect({ ...records, isKept: () => false, looksUpWords: true });
    const conditions = [`id = ${dialect.add(id)}`, ...dialect.conditions({ owner, filters, words })];
    const statement = this.#statements.prepare(`SELECT ${recordColumns} FROM "${collection}" ${where(conditions)}`);
    return statement.get(...dialect.values) as unknown as RecordRow<number> | undefined; // as above
  }

  readonly #inOneState: SelectableRecords["inOneState"] = (read) => {
    // A database in memory has one connection, so that nothing is committed meanwhile; it may be within a transaction.
    this.#statements.prepare("SAVEPOINT found").run();
    try {
      return read();
    } finally {
      if (this.#database.isTransaction) this.#statements.prepare("RELEASE found").run();
    }
  };

  #recordsOf(collection: string, owner: number | undefined): SelectableRecords {
    const columns = this.#columns.get(collection) as Columns; // a store asks for a collection of its database
    const documents = this.#documents.get(collection) as SelectableRecords["documents"];
    const inOneState = this.#inOneState;
    return {
      collection,
      columns,
      statements: this.#statements,
      owner,
      isStoppable: this.#isStoppable,
      documents,
      inOneState,
    };
  }
}

/** So many ids are counted by the pages of an index in 0.02 ms, and in 2 ms before the file was read. */
const countedAtOnce = 100_000;

/** So many are counted in less than 0.1 ms where the count is bounded. */
const countedOneByOne = 10_000;

/** Finds the ids of all records of a selection, in its order. */
function findIds(records: SelectableRecords, selection: Selection): Float64Array {
  const plan = planOf(records, selection);
  const ids = plan.by === "order" ? idsByGroups(records, selection) : undefined;
  return ids ?? new SqliteSelection(records, selection, plan).ids(selection.after, selection.limit);
}

/** The most records that are read by their ids for a batch. Many of them may have been removed. */
const mostInBatch = 1_000;
