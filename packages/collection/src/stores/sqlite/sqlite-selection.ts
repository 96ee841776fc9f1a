import type { MemberFilter, MemberValue, Selection } from "../../selection.ts";
import type { StoredRecord } from "../../store.ts";
import { type KeyCondition, keysetRanges } from "../keyset.ts";
import { defaultOrder, type SelectableRecords, type SelectionPlan } from "./sqlite-plan.ts";
import {
  type Bound,
  type Columns,
  columnOf,
  eachWordsCondition,
  filterConditions,
  keyConditions,
  orderBy,
  ownerCondition,
  type Sql,
  stopCondition,
  tableBy,
  where,
  wordsCondition,
} from "./sqlite-query.ts";
import { matching, wordsTable } from "./sqlite-words.ts";

/** What is selected of a record, and the values of the keys of the order but `id`. */
export type RecordRow = readonly [id: number, revision: number, updatedAt: number, json: string, ...MemberValue[]];

export const toRecord = ([id, revision, updatedAt, json]: RecordRow): StoredRecord => ({
  id,
  revision,
  updatedAt,
  json,
});

/** A selection, to be read in pages as its plan says. */
export class SqliteSelection {
  /** How many records are to be read at once. */
  readonly pageSize: number;
  readonly #records: SelectableRecords;
  readonly #columns: Columns;
  readonly #selection: Required<Pick<Selection, "filters" | "words" | "order">>;
  readonly #plan: SelectionPlan;

  constructor(records: SelectableRecords, selection: Selection, plan: SelectionPlan) {
    const { filters = [], words = [], order = defaultOrder } = selection;
    const { columns } = records;
    this.#records = records;
    this.#selection = { filters, words, order };
    this.#plan = plan;
    this.#columns =
      plan.by === "words"
        ? // The same id, by which the words are found.
          new Map([...columns, ["id", { ...columnOf(columns, "id"), sql: "found.rowid" }]])
        : columns;
    const isSorted = plan.by !== "order" && order[0]?.member !== "id";
    this.pageSize = isSorted ? sortedPageSize : pageSize;
  }

  /** The first records behind the place; without one, of all. At most so many. */
  page(after: readonly MemberValue[] | undefined, size: number): readonly RecordRow[] {
    const rows: RecordRow[] = [];
    for (const range of after === undefined ? [[]] : this.#rangesBehind(after)) {
      const { text, values } = this.#query(keyConditions(range, this.#columns), range[0]?.relation);
      const statement = this.#records.statements.prepare(text);
      // The statement returns arrays of these columns, whose types the table enforces.
      const page = statement.all(...values, size - rows.length) as unknown as RecordRow[];
      if (page.length === size) return page;
      rows.push(...page);
      if (rows.length === size) break;
    }
    return rows;
  }

  /** The place of a record in the order. */
  placeOf([id, _revision, _updatedAt, _json, ...keys]: RecordRow): readonly MemberValue[] {
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

  #query(range: readonly Sql[], firstRelation: KeyCondition["relation"] | undefined): Sql {
    const { filters, words, order } = this.#selection;
    const { collection, owner, isStoppable } = this.#records;
    const { by, member: leading } = this.#plan;
    const firstKey = order[0]?.member ?? "id";
    // By the index on the first key the range has its place in it, which a filter must not move back.
    const taken = firstRelation === undefined ? undefined : boundOf[firstRelation];
    const isKept = (filter: MemberFilter, bound: Bound): boolean =>
      by === "order"
        ? filter.member === firstKey && filter.operator !== "in" && taken !== "equal" && bound !== taken
        : filter.member === leading;
    const conditions = where([
      ...stopCondition({ columns: this.#columns, isStoppable }),
      ...ownerCondition(owner),
      ...filters.flatMap((filter) => filterConditions(filter, this.#columns, (bound) => isKept(filter, bound))),
      ...(words.length > 0 && by !== "words" ? [this.#wordsCondition(words)] : []),
      ...range,
    ]);
    const table =
      by === "words"
        ? {
            text: `"${wordsTable(collection)}" (?) AS found CROSS JOIN "${collection}" ON id = found.rowid`,
            values: [matching(words)],
          }
        : { text: tableBy(collection, columnOf(this.#columns, leading ?? firstKey), owner), values: [] };
    const keys = order.slice(0, -1).map(({ member }) => `, ${columnOf(this.#columns, member).sql}`);
    return {
      text: `SELECT id, revision, updated_at, document${keys.join("")} FROM ${table.text} ${conditions.text}
        ${orderBy(order, this.#columns)} LIMIT ?`,
      values: [...table.values, ...conditions.values],
    };
  }

  #wordsCondition(words: readonly string[]): Sql {
    const { collection, isStoppable } = this.#records;
    return this.#plan.looksUpWords === true
      ? eachWordsCondition(collection, words)
      : wordsCondition(collection, words, isStoppable);
  }
}

const boundOf: Readonly<Record<KeyCondition["relation"], Bound>> = {
  equal: "equal",
  absent: "equal",
  greater: "lower",
  present: "lower",
  less: "upper",
};

// Statements that return some rows at once cost half of what stepping from row to row does (0.5 against 1 µs a row).
const pageSize = 32;

/** Where each page is sorted anew, they are larger. */
const sortedPageSize = 256;
