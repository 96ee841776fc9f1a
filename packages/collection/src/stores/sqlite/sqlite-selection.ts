import type { MemberFilter, MemberValue, Selection, SortKey } from "../../selection.ts";
import { type KeyCondition, keysetRanges } from "../keyset.ts";
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
  tableBy,
  where,
  wordsCondition,
} from "./sqlite-query.ts";
import { isIndexed, matching, wordsTable } from "./sqlite-words.ts";
import type { StatementCache } from "./statement-cache.ts";

/** What is selected of a record, and the values of the keys of the order but `id`. */
export type RecordRow = readonly [id: number, revision: number, updatedAt: number, json: string, ...MemberValue[]];

/**
 * A selection, to be read in pages. It is read in the order of the index on its first key until there are enough records;
 * but where filters or words leave few, these are looked up first and sorted.
 */
export class SqliteSelection {
  /** How many records are to be read at once. */
  readonly pageSize: number;
  readonly #collection: string;
  readonly #columns: Columns;
  readonly #statements: StatementCache;
  readonly #filters: readonly MemberFilter[];
  readonly #words: readonly string[];
  readonly #order: readonly SortKey[];
  readonly #owner: number | undefined;
  readonly #leading: Leading;
  /** Whether so many records have the words that they are looked up for each record that is come upon. */
  readonly #isCommon: boolean;

  constructor(collection: string, columns: Columns, selection: Selection, statements: StatementCache, owner?: number) {
    const { filters = [], words = [], order = [{ member: "id", descending: false }] } = selection;
    this.#collection = collection;
    this.#statements = statements;
    this.#filters = filters;
    this.#words = words;
    this.#order = order;
    this.#columns = columns;
    this.#owner = owner;
    this.#leading = this.#whatLeads();
    this.#isCommon = this.#leading.by !== "words" && words.length > 0 && this.#areBestLookedUp(this.#leading.count);
    if (this.#leading.by === "words") {
      // The same id, by which the words are found.
      this.#columns = new Map([...columns, ["id", { ...columnOf(columns, "id"), sql: "found.rowid" }]]);
    }
    const isSorted = this.#leading.by !== "order" && order[0]?.member !== "id";
    this.pageSize = isSorted ? sortedPageSize : pageSize;
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

  #query(range: readonly Sql[], firstRelation: KeyCondition["relation"] | undefined): Sql {
    const [{ by, member: leading }, firstKey] = [this.#leading, this.#order[0]?.member ?? "id"];
    // By the index on the first key the range has its place in it, which a filter must not move back.
    const taken = firstRelation === undefined ? undefined : boundOf[firstRelation];
    const isKept = (filter: MemberFilter, bound: Bound): boolean =>
      by === "order"
        ? filter.member === firstKey && filter.operator !== "in" && taken !== "equal" && bound !== taken
        : filter.member === leading;
    const conditions = where([
      ...ownerCondition(this.#owner),
      ...this.#filters.flatMap((filter) => filterConditions(filter, this.#columns, (bound) => isKept(filter, bound))),
      ...(this.#words.length > 0 && by !== "words" ? [this.#wordsCondition()] : []),
      ...range,
    ]);
    const table =
      by === "words"
        ? {
            text: `"${wordsTable(this.#collection)}" (?) AS found CROSS JOIN "${this.#collection}" ON id = found.rowid`,
            values: [matching(this.#words)],
          }
        : { text: tableBy(this.#collection, columnOf(this.#columns, leading ?? firstKey), this.#owner), values: [] };
    const keys = this.#order.slice(0, -1).map(({ member }) => `, ${columnOf(this.#columns, member).sql}`);
    return {
      text: `SELECT id, revision, updated_at, document${keys.join("")} FROM ${table.text} ${conditions.text}
        ${orderBy(this.#order, this.#columns)} LIMIT ?`,
      values: [...table.values, ...conditions.values],
    };
  }

  #wordsCondition(): Sql {
    return (this.#isCommon ? eachWordsCondition : wordsCondition)(this.#collection, this.#words);
  }

  /**
   * Whether it takes longer to gather all that have the words.
   *
   * @param count of how many records they may have to be looked up; undefined where enough will have been found before
   */
  #areBestLookedUp(count: number | undefined): boolean {
    const gathered = count === undefined ? common : count * gatheredMeanwhile;
    return isIndexed(this.#words) && gathered <= common && this.#countFoundUpTo(gathered) === gathered;
  }

  /** The words, or the member whose filters, leave the fewest records, if they are few enough to be sorted. */
  #whatLeads(): Leading {
    const [firstKey, hasWords] = [this.#order[0]?.member, this.#words.length > 0];
    // By id they are found in their order, however many they are.
    const areAlone = this.#filters.length === 0 && this.#owner === undefined;
    if (hasWords && areAlone && firstKey === "id") return { by: "words" };
    let fewest = hasWords ? this.#countFoundUpTo(sortable) : sortable;
    let leading: Leading = hasWords && (fewest < sortable || firstKey === "id") ? { by: "words" } : { by: "order" };
    // Where the owner has fewer than that, those need no search.
    if (hasWords && this.#owner !== undefined) {
      const count = this.#countUpTo(fewest, "id", []);
      if (count < fewest) leading = { by: "order", count };
    }
    for (const [member, filters] of Map.groupBy(this.#filters, (filter) => filter.member)) {
      const isWalked = member === firstKey && filters.every(({ operator }) => operator !== "in");
      if (isWalked || filters.every(({ operator }) => operator === "ne")) continue;
      const count = this.#countUpTo(fewest, member, filters);
      if (count < fewest) [fewest, leading] = [count, { by: "filters", member, count }];
    }
    return leading;
  }

  #countFoundUpTo(most: number): number {
    const found = `SELECT 1 FROM "${wordsTable(this.#collection)}" (?) LIMIT ?`;
    return this.#count(found, [matching(this.#words), most]);
  }

  #countUpTo(most: number, member: string, filters: readonly MemberFilter[]): number {
    const table = tableBy(this.#collection, columnOf(this.#columns, member), this.#owner);
    const { text, values } = where([
      ...ownerCondition(this.#owner),
      ...filters.flatMap((filter) => filterConditions(filter, this.#columns, () => true)),
    ]);
    return this.#count(`SELECT 1 FROM ${table} ${text} LIMIT ?`, [...values, most]);
  }

  #count(rows: string, values: readonly (string | number)[]): number {
    const statement = this.#statements.prepare(`SELECT count(*) FROM (${rows})`);
    const [count] = statement.get(...values) as unknown as [number]; // an aggregate has a row
    return count;
  }
}

/** By what the records are found. */
interface Leading {
  readonly by: "order" | "words" | "filters";
  /** The member of the filters. */
  readonly member?: string;
  /** How many records are found so, where these are few. */
  readonly count?: number;
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

/** How many records a page may be chosen from by sorting: what takes some 10 ms. */
const sortable = 5_000;

/** How many records with a word are gathered in the time in which one is looked up: in some 0.2 ms. */
const gatheredMeanwhile = 400;

/** From how many records with the words on some of them are soon come upon. */
const common = 50_000;
