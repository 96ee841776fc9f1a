import type { StatementSync } from "node:sqlite";
import {
  defaultOrder,
  type ListMember,
  type MemberFilter,
  type MemberValue,
  type Selection,
  takesAbsent,
} from "../../contract/selection.ts";
import { where } from "../../reading/conditions.ts";
import { IdList } from "../../reading/found-list.ts";
import { type KeyCondition, keysetRanges } from "../../reading/keyset.ts";
import { type RecordRow, recordColumns } from "../../table/rows.ts";
import { limit } from "../connections/statements.ts";
import { type Bound, SqliteDialect } from "../table/dialect.ts";
import type { SelectableRecords, SelectionPlan } from "./plan.ts";

/** The selected columns of a record, the revision of the collection, and the values of the order's keys except `id`. */
export type SelectedRow = readonly [...RecordRow<number>, revision: number, ...MemberValue[]];

/** Makes the statements of a selection by its plan, and reads their rows. */
export class SqliteSelection {
  readonly #records: SelectableRecords;
  readonly #selection: Required<Pick<Selection, "filters" | "words" | "order">>;
  readonly #plan: SelectionPlan;

  constructor(records: SelectableRecords, selection: Selection, plan: SelectionPlan) {
    const { filters = [], words = [], order = defaultOrder } = selection;
    this.#records = records;
    this.#selection = { filters, words, order };
    this.#plan = plan;
  }

  /**
   * Returns the first records after the place; without a place, the first of all. Every call walks an index from the place on.
   *
   * @param count the maximum of records
   * @param room in characters of JSON; where documents are long, reading stops when these are reached
   */
  rows(after: readonly MemberValue[] | undefined, count: number, room: number): readonly SelectedRow[] {
    const keys = this.#selection.order.slice(0, -1);
    const revision = `(SELECT revision FROM waymark_collections WHERE name = '${this.#records.collection}')`;
    const columns = (dialect: SqliteDialect): string =>
      [recordColumns, revision, ...keys.map(({ member }) => dialect.column(member).sql)].join(", ");
    const rows: SelectedRow[] = [];
    let left = room;
    for (const range of this.#rangesBehind(after)) {
      const most = count - rows.length;
      const { text, values } = this.#query(range, columns, most);
      const statement = this.#records.statements.prepare(`${text} ${limit}`);
      const found = this.#read(statement, [...values, most], left);
      left -= found.reduce((sum, row) => sum + row[3].length, 0);
      rows.push(...found);
      if (rows.length === count || left <= 0) break;
    }
    return rows;
  }

  /**
   * Returns the ids of the records after the place, in their order; without a place, of all. They are sorted once.
   *
   * @param most the maximum of ids; undefined for all
   */
  ids(after: readonly MemberValue[] | undefined, most: number | undefined): Float64Array {
    const ids = new IdList();
    for (const range of this.#rangesBehind(after)) {
      const left = most === undefined ? undefined : most - ids.length;
      const { text, values } = this.#query(range, (dialect) => dialect.column("id").sql, left);
      // With a limit, whatever it is, SQLite keeps the first rows in a tree, which takes three times as long for all of them.
      const bounds = left === undefined ? [] : [left];
      const statement = this.#records.statements.prepare(left === undefined ? text : `${text} ${limit}`);
      for (const row of statement.iterate(...values, ...bounds)) ids.add((row as unknown as readonly [number])[0]); // one column
      if (ids.length === most) break;
    }
    return ids.from(0);
  }

  placeOf([id, _revision, _updatedAt, _json, _state, ...keys]: SelectedRow): readonly MemberValue[] {
    return [...keys, id];
  }

  #read(statement: StatementSync, values: readonly (string | number)[], room: number): readonly SelectedRow[] {
    const { documents } = this.#records;
    // The statement returns arrays of these columns, whose types the table enforces.
    if (!documents.areLong) {
      const rows = statement.all(...values) as unknown as SelectedRow[];
      if (rows.some((row) => row[3].length > longDocument)) documents.areLong = true;
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

  /** Returns the ranges after a place; without a place, one range of everything. */
  #rangesBehind(after: readonly MemberValue[] | undefined): readonly (readonly KeyCondition[])[] {
    if (after === undefined) return [[]];
    const { filters, order } = this.#selection;
    const cannotLack = (member: string) => filters.some((filter) => filter.member === member && !takesAbsent(filter));
    return keysetRanges(order, after).filter(
      (range) => !range.some(({ member, relation }) => relation === "absent" && cannotLack(member)),
    );
  }

  #query(
    range: readonly KeyCondition[],
    columns: (dialect: SqliteDialect) => string,
    most?: number,
  ): { readonly text: string; readonly values: readonly (string | number)[] } {
    const { filters, words, order } = this.#selection;
    const { owner } = this.#records;
    const { by, member, filter: led, isRun = false, looksUpWords = false, checksLast = false } = this.#plan;
    const list = led && (this.#records.columns.get(led.member)?.list as ListMember); // it is a filter of a list
    const leading = list?.single ?? member;
    const firstKey = order[0]?.member ?? "id";
    // In a plan by order, the range determines the place in the index where reading begins, which a filter must not move back.
    const taken = range[0] && boundOf[range[0].relation];
    const isKept = (member: string, bound: Bound): boolean =>
      by === "order"
        ? member === firstKey && bound !== "list" && bound !== "none" && taken !== "equal" && bound !== taken
        : member === leading;
    const foundId = foundIds[by];
    const dialect = new SqliteDialect({
      ...this.#records,
      isKept,
      looksUpWords,
      ...(foundId !== undefined && { foundId }),
    });
    const table =
      list !== undefined
        ? dialect.tableByValues(list, led as MemberFilter, owner, isRun ? { order, range, most } : undefined)
        : by === "words"
          ? dialect.tableByWords(words, checksLast)
          : dialect.tableBy(leading ?? firstKey, owner);
    const rest = {
      filters: filters.filter((filter) => filter !== led),
      words: by === "words" ? [] : words,
    };
    const conditions = where([...dialect.stopConditions(), ...dialect.conditions({ owner, range, ...rest })]);
    return {
      text: `SELECT ${columns(dialect)} FROM ${table} ${conditions} ${dialect.orderBy(order)}`,
      values: dialect.values,
    };
  }
}

/** The ids in the tables by which records are found. */
const foundIds: Readonly<Partial<Record<SelectionPlan["by"], string>>> = {
  words: "found.rowid",
  values: "found.record",
};

const boundOf: Readonly<Record<KeyCondition["relation"], Bound>> = {
  equal: "equal",
  absent: "equal",
  greater: "lower",
  present: "lower",
  less: "upper",
};

/** In characters of JSON. The documents that are read at once are 512 KiB at this length; longer ones would be too much. */
const longDocument = 16_384;
