import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import { defaultOrder, type MemberValue, type Selection } from "../../selection.ts";
import type { StoredRecord } from "../../store.ts";
import { where } from "../conditions.ts";
import { type KeyCondition, keysetRanges } from "../keyset.ts";
import { type RecordRow, recordColumns, toRecord } from "../rows.ts";
import { selectableColumns } from "./columns.ts";
import { type Bound, type Columns, SqliteDialect } from "./dialect.ts";
import { guardedRead } from "./fault.ts";
import { planOf, type SelectableRecords, type SelectionPlan } from "./plan.ts";
import { limit, StatementCache } from "./statements.ts";

/** The next records of a selection. */
export interface RecordPage {
  /** About 64 KiB of records; empty when there are no more. */
  readonly records: readonly StoredRecord[];
  /** The selection of the records after these; undefined when there are no more. */
  readonly rest: Selection | undefined;
  readonly plan: SelectionPlan;
}

/** Makes the reads of many records over one connection. The selections must have been checked. */
export class SqliteQueries {
  readonly #columns: ReadonlyMap<string, Columns>;
  readonly #statements: StatementCache;
  readonly #documents: ReadonlyMap<string, SelectableRecords["documents"]>;
  readonly #isStoppable: boolean;

  /** @param isStoppable whether the connection has the function that stops a statement */
  constructor(database: DatabaseSync, collections: readonly CollectionDefinition[], isStoppable = false) {
    this.#columns = new Map(collections.map((definition) => [definition.name, selectableColumns(definition)]));
    this.#documents = new Map(collections.map(({ name }) => [name, { areLong: false }]));
    this.#statements = new StatementCache(database);
    this.#isStoppable = isStoppable;
  }

  /** @param plan the plan of the selection, where it is known already */
  page(collection: string, selection: Selection, owner: number | undefined, plan?: SelectionPlan): RecordPage {
    return guardedRead(() => {
      const records = this.#recordsOf(collection, owner);
      return readPage(records, selection, plan ?? planOf(records, selection));
    });
  }

  count(collection: string, { filters = [], words = [] }: Selection, owner: number | undefined): number {
    const dialect = new SqliteDialect(this.#recordsOf(collection, owner));
    const conditions = dialect.conditions({ filters, words, owner });
    // Without conditions, SQLite counts by the pages of an index, which takes a quarter of the time.
    const text = where(conditions.length === 0 ? [] : [...dialect.stopConditions(), ...conditions]);
    return guardedRead(() => {
      const statement = this.#statements.prepare(`SELECT count(*) FROM "${collection}" ${text}`);
      const [count] = statement.get(...dialect.values) as unknown as [number]; // an aggregate has a row
      return count;
    });
  }

  /** Returns whether `count` takes no longer than reading a page: it counts all records, and their ids are close together. */
  isCountedAtOnce(collection: string, { filters = [], words = [] }: Selection, owner: number | undefined): boolean {
    if (filters.length > 0 || words.length > 0 || owner !== undefined) return false;
    return guardedRead(() => {
      const ends = `SELECT (SELECT max(id) FROM "${collection}") - (SELECT min(id) FROM "${collection}")`;
      const [distance] = this.#statements.prepare(ends).get() as unknown as [number | null]; // this has always a row
      return (distance ?? 0) < countedAtOnce;
    });
  }

  #recordsOf(collection: string, owner: number | undefined): SelectableRecords {
    const columns = this.#columns.get(collection) as Columns; // a store asks for a collection of its database
    const documents = this.#documents.get(collection) as SelectableRecords["documents"];
    return { collection, columns, statements: this.#statements, owner, isStoppable: this.#isStoppable, documents };
  }
}

/** So many ids are counted in less than 0.1 ms. */
const countedAtOnce = 10_000;

function readPage(from: SelectableRecords, selection: Selection, plan: SelectionPlan): RecordPage {
  const selected = new SqliteSelection(from, selection, plan);
  let { after, limit: left = Number.POSITIVE_INFINITY } = selection;
  const records: StoredRecord[] = [];
  for (let size = 0; size < mostCharacters && left > 0; ) {
    const wanted = Math.min(selected.rowsAtOnce, left);
    const found = selected.rows(after, wanted, mostCharacters - size);
    for (const row of found) {
      const record = toRecord(row);
      records.push(record);
      size += record.json.length;
    }
    after = found.length === 0 ? after : selected.placeOf(found.at(-1) as SelectedRow); // there is a last one
    left = found.length < wanted && size < mostCharacters ? 0 : left - found.length;
  }
  if (left === 0 || after === undefined) return { records, rest: undefined, plan };
  const rest = { ...selection, after, ...(Number.isFinite(left) && { limit: left }) };
  return { records, rest, plan };
}

/** In characters of JSON, for a page; exceeded by at most one record, or by some that are not long. */
const mostCharacters = 65_536;

/** The selected columns of a record, and the values of the order's keys except `id`. */
type SelectedRow = readonly [...RecordRow<number>, ...MemberValue[]];

/** Reads a selection in pages, by its plan. */
export class SqliteSelection {
  /** The number of records to read at once. */
  readonly rowsAtOnce: number;
  readonly #records: SelectableRecords;
  readonly #selection: Required<Pick<Selection, "filters" | "words" | "order">>;
  readonly #plan: SelectionPlan;
  /** Whether rows are read one by one, to stop when there are enough. */
  readonly #isStepped: boolean;

  constructor(records: SelectableRecords, selection: Selection, plan: SelectionPlan) {
    const { filters = [], words = [], order = defaultOrder } = selection;
    this.#records = records;
    this.#selection = { filters, words, order };
    this.#plan = plan;
    const isSorted = plan.by !== "order" && order[0]?.member !== "id";
    this.rowsAtOnce = isSorted ? sortedRowsAtOnce : rowsAtOnce;
    this.#isStepped = isSorted || records.documents.areLong;
  }

  /**
   * Returns the first records after the place; without a place, the first of all.
   *
   * @param count the maximum of records
   * @param room in characters of JSON; where rows are read one by one, reading stops when these are reached
   */
  rows(after: readonly MemberValue[] | undefined, count: number, room: number): readonly SelectedRow[] {
    const rows: SelectedRow[] = [];
    let left = room;
    for (const range of after === undefined ? [[]] : this.#rangesBehind(after)) {
      const { text, values } = this.#query(range);
      const found = this.#read(this.#records.statements.prepare(text), [...values, count - rows.length], left);
      left -= found.reduce((sum, row) => sum + row[3].length, 0);
      rows.push(...found);
      if (rows.length === count || left <= 0) break;
    }
    return rows;
  }

  #read(statement: StatementSync, values: readonly (string | number)[], room: number): readonly SelectedRow[] {
    // The statement returns arrays of these columns, whose types the table enforces.
    if (!this.#isStepped) {
      const rows = statement.all(...values) as unknown as SelectedRow[];
      if (rows.some((row) => row[3].length > longDocument)) this.#records.documents.areLong = true;
      return rows;
    }
    const rows: SelectedRow[] = [];
    let left = room;
    for (const row of statement.iterate(...values) as unknown as Iterable<SelectedRow>) {
      rows.push(row);
      left -= row[3].length;
      if (left <= 0) break;
    }
    return rows;
  }

  /** Returns the place of a record in the order. */
  placeOf([id, _revision, _updatedAt, _json, ...keys]: SelectedRow): readonly MemberValue[] {
    return [...keys, id];
  }

  #rangesBehind(after: readonly MemberValue[]): readonly (readonly KeyCondition[])[] {
    const { filters, order } = this.#selection;
    const cannotLack = (member: string) =>
      filters.some((filter) => filter.member === member && filter.operator !== "ne");
    return keysetRanges(order, after).filter(
      (range) => !range.some(({ member, relation }) => relation === "absent" && cannotLack(member)),
    );
  }

  #query(range: readonly KeyCondition[]): { readonly text: string; readonly values: readonly (string | number)[] } {
    const { filters, words, order } = this.#selection;
    const { owner } = this.#records;
    const { by, member: leading, looksUpWords = false } = this.#plan;
    const firstKey = order[0]?.member ?? "id";
    // In a plan by order, the range determines the place in the index where reading begins, which a filter must not move back.
    const taken = range[0] && boundOf[range[0].relation];
    const isKept = (member: string, bound: Bound): boolean =>
      by === "order"
        ? member === firstKey && bound !== "list" && taken !== "equal" && bound !== taken
        : member === leading;
    const isByWords = by === "words";
    const dialect = new SqliteDialect({ ...this.#records, isKept, isByWords, looksUpWords });
    const table = isByWords ? dialect.tableByWords(words) : dialect.tableBy(leading ?? firstKey, owner);
    const conditions = where([
      ...dialect.stopConditions(),
      ...dialect.conditions({ owner, filters, range, words: isByWords ? [] : words }),
    ]);
    const text = `SELECT ${recordColumns}${dialect.keyColumns(order)} FROM ${table} ${conditions}
      ${dialect.orderBy(order)} ${limit}`;
    return { text, values: dialect.values };
  }
}

const boundOf: Readonly<Record<KeyCondition["relation"], Bound>> = {
  equal: "equal",
  absent: "equal",
  greater: "lower",
  present: "lower",
  less: "upper",
};

// Statements that return some rows at once cost less than stepping from row to row (1.6 against 2.6 µs a row of 300 bytes).
const rowsAtOnce = 32;

/** In characters of JSON. The documents that are read at once are 512 KiB at this length; longer ones would be too much. */
const longDocument = 16_384;

/** More than `rowsAtOnce`, because every read sorts again. */
const sortedRowsAtOnce = 256;
