import { type KeyCondition, keysetRanges } from "./keyset.ts";
import type { MemberFilter, MemberValue, Selection, SortKey } from "./selection.ts";
import {
  type Bound,
  type Columns,
  columnOf,
  filterConditions,
  keyConditions,
  orderBy,
  type Sql,
  tableBy,
  where,
} from "./sqlite-query.ts";
import type { RecordRow } from "./sqlite-reads.ts";
import type { StatementCache } from "./statement-cache.ts";

/**
 * A selection, to be read in pages. It is read in the order of the index on its first key until there are enough records;
 * but where a filter leaves few, these are read by the index on the filter's member and sorted.
 */
export class SqliteSelection {
  /** How many records are to be read at once. */
  readonly pageSize: number;
  readonly #collection: string;
  readonly #columns: Columns;
  readonly #statements: StatementCache;
  readonly #filters: readonly MemberFilter[];
  readonly #order: readonly SortKey[];
  readonly #leading: string | undefined;

  constructor(collection: string, columns: Columns, selection: Selection, statements: StatementCache) {
    this.#collection = collection;
    this.#columns = columns;
    this.#statements = statements;
    this.#filters = selection.filters ?? [];
    this.#order = selection.order ?? [{ member: "id", descending: false }];
    this.#leading = this.#leadingMember();
    this.pageSize = this.#leading === undefined ? pageSize : sortedPageSize;
  }

  /** The first records behind the place; without one, of all. At most so many. */
  page(after: readonly MemberValue[] | undefined, size: number): readonly RecordRow[] {
    const rows: RecordRow[] = [];
    for (const range of after === undefined ? [[]] : this.#rangesBehind(after)) {
      const { text, values } = this.#query(keyConditions(range, this.#columns), range[0]?.relation);
      // The statement returns arrays of these columns, whose types the table enforces.
      const page = this.#statements.prepare(text).all(...values, size - rows.length) as unknown as RecordRow[];
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
    const cannotLack = (member: string) =>
      this.#filters.some((filter) => filter.member === member && filter.operator !== "ne");
    return keysetRanges(this.#order, after).filter(
      (range) => !range.some(({ member, relation }) => relation === "absent" && cannotLack(member)),
    );
  }

  #query(range: readonly Sql[], firstRelation: string | undefined): Sql {
    const [firstKey, leading] = [this.#order[0]?.member, this.#leading];
    const keys = this.#order.slice(0, -1).map(({ member }) => `, "${columnOf(this.#columns, member).name}"`);
    // By the index on the first key the range has its place in it, which a filter must not move back.
    const taken: Bound | undefined = firstRelation === undefined ? undefined : boundOf[firstRelation];
    const isKept = (filter: MemberFilter, bound: Bound): boolean =>
      leading === undefined
        ? filter.member === firstKey && filter.operator !== "in" && taken !== "equal" && bound !== taken
        : filter.member === leading;
    const { text, values } = where([
      ...this.#filters.flatMap((filter) => filterConditions(filter, this.#columns, (bound) => isKept(filter, bound))),
      ...range,
    ]);
    const table = tableBy(this.#collection, columnOf(this.#columns, leading ?? firstKey ?? "id"));
    return {
      text: `SELECT id, revision, updated_at, document${keys.join("")} FROM ${table} ${text} ${orderBy(this.#order, this.#columns)} LIMIT ?`,
      values,
    };
  }

  /** The member whose filters leave the fewest records, if they are few enough to be sorted. */
  #leadingMember(): string | undefined {
    const firstKey = this.#order[0]?.member;
    let fewest = sortable;
    let leading: string | undefined;
    for (const [member, filters] of Map.groupBy(this.#filters, (filter) => filter.member)) {
      const isWalked = member === firstKey && filters.every(({ operator }) => operator !== "in");
      if (isWalked || filters.every(({ operator }) => operator === "ne")) continue;
      const count = this.#countUpTo(fewest, member, filters);
      if (count < fewest) [fewest, leading] = [count, member];
    }
    return leading;
  }

  #countUpTo(most: number, member: string, filters: readonly MemberFilter[]): number {
    const table = tableBy(this.#collection, columnOf(this.#columns, member));
    const { text, values } = where(filters.flatMap((filter) => filterConditions(filter, this.#columns, () => true)));
    const statement = this.#statements.prepare(`SELECT count(*) FROM (SELECT 1 FROM ${table} ${text} LIMIT ?)`);
    const [count] = statement.get(...values, most) as unknown as [number]; // an aggregate has a row
    return count;
  }
}

const boundOf: Readonly<Record<string, Bound>> = {
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

/** How many records a page may be chosen from by sorting: what takes some 10 ms. */
const sortable = 5_000;
