import { endOfPrefix } from "../../../members/value.ts";
import type { ListMember, MemberFilter, SortKey } from "../../contract/selection.ts";
import { Dialect, type ListFilter, type Operator, toListFilter } from "../../reading/conditions.ts";
import type { KeyCondition } from "../../reading/keyset.ts";
import { mayBeForNumber } from "../../table/numbers.ts";
import { ownerIndex, type SqliteColumn } from "./columns.ts";
import { valuesTable } from "./values.ts";
import { matching, toIndexed, wordsTable } from "./words.ts";

/** The columns of the members that records can be selected by, by name of the member. */
export type Columns = ReadonlyMap<string, SqliteColumn>;

/** How a condition bounds the values of a member; `list` is several values, and `none` all but one. */
export type Bound = "equal" | "list" | "lower" | "upper" | "none";

interface SqliteDialectOptions {
  readonly collection: string;
  readonly columns: Columns;
  /** Whether the connection has the function that stops a statement. */
  readonly isStoppable: boolean;
  /**
   * Whether a filter may determine which part of an index is read; other filters are written so that they cannot. Default: every
   * filter may.
   */
  readonly isKept?: (member: string, bound: Bound) => boolean;
  /** Whether the words are looked up for each record that is read; otherwise all records with the words are gathered first. */
  readonly looksUpWords?: boolean;
  /** The expression for the ids of the records, where these are found by words or by the values of a list. */
  readonly foundId?: string;
}

/** The records with a value that are asked for, by their ids. */
interface RunOfIds {
  readonly order: readonly SortKey[];
  readonly range: readonly KeyCondition[];
  /** Undefined for all. */
  readonly most: number | undefined;
}

export class SqliteDialect extends Dialect<SqliteColumn> {
  readonly #options: SqliteDialectOptions;

  constructor(options: SqliteDialectOptions) {
    super();
    this.#options = options;
  }

  override add(value: string | number): string {
    this.values.push(value);
    return "?";
  }

  override column(member: string): SqliteColumn {
    const column = this.#options.columns.get(member) as SqliteColumn; // the selection has been checked
    const { foundId } = this.#options;
    // The same id, in whose order the other table is read.
    return member === "id" && foundId !== undefined ? { ...column, sql: foundId } : column;
  }

  override compare(member: string, operator: Operator, value: string | number): string {
    return `${this.#operand(member, bounds[operator])} ${operator} ${this.add(value)}`;
  }

  override comparePlace(member: string, operator: Operator, value: string | number): string {
    return `${this.column(member).sql} ${operator} ${this.add(value)}`;
  }

  override differs(member: string, value: string | number): string {
    const column = this.#operand(member, "none");
    return `(${column} < ${this.add(value)} OR ${column} > ${this.add(value)} OR ${column} IS NULL)`;
  }

  override exists(member: string, isPresent: boolean): string {
    return `${this.#operand(member, isPresent ? "lower" : "equal")} IS ${isPresent ? "NOT NULL" : "NULL"}`;
  }

  override isOneOf(member: string, values: readonly (string | number)[]): string {
    // One parameter, so that the statement is the same for any number of values. A number of JavaScript is a REAL.
    const list = "SELECT iif(type = 'text', value, CAST(value AS REAL)) FROM json_each(?)";
    this.add(JSON.stringify(values));
    return `${this.#operand(member, "list")} IN (${list})`;
  }

  override hasValue({ name }: ListMember, filter: ListFilter): string {
    const { collection } = this.#options;
    const ofRecord = `listed.id = "${collection}".id AND listed.member = ${this.add(name)}`;
    const met = this.#valueConditions("listed.value", filter).join(" AND ");
    return `EXISTS (SELECT 1 FROM "${valuesTable(collection)}" AS listed WHERE ${ofRecord} AND ${met})`;
  }

  override hasWords(words: readonly string[]): string {
    const { collection, looksUpWords, isStoppable } = this.#options;
    const table = `"${wordsTable(collection)}" (${this.add(matching(words))})`;
    const check = this.#checks(words);
    if (looksUpWords === true) {
      const isThere = `EXISTS (SELECT 1 FROM ${table} AS found WHERE found.rowid = id)`;
      // Of two conditions, SQLite would evaluate the look-up last, and check every record.
      return check.length === 0 ? isThere : `iif(${isThere}, ${check[0]}, 0)`;
    }
    return [`id IN (SELECT rowid FROM ${table}${isStoppable ? ` WHERE ${goOnAt("rowid")}` : ""})`, ...check].join(
      " AND ",
    );
  }

  /** Returns the condition, if one is needed, that a record which the index finds has what is sought. */
  #checks(words: readonly string[], isLastSought = false): readonly string[] {
    if (!isLastSought && !mayBeForNumber(words)) return [];
    const sought = this.add(JSON.stringify(words));
    return [`${hasSoughtFunction}('${this.#options.collection}', document, ${sought}, ${Number(isLastSought)})`];
  }

  override orderTerm({ sql }: SqliteColumn, descending: boolean): string {
    return `${sql}${descending ? " DESC" : ""}`;
  }

  /** Returns the condition that stops a statement, where the connection has the function for it. */
  stopConditions(): readonly string[] {
    return this.#options.isStoppable ? [goOnAt(this.column("id").sql)] : [];
  }

  /** Returns the table with the index to read: that on the member; for `id`, that on the owners, or without an owner none. */
  tableBy(member: string, owner: number | undefined): string {
    const { collection } = this.#options;
    const index = this.column(member).index ?? (owner === undefined ? undefined : ownerIndex(collection));
    return `"${collection}" ${index === undefined ? "NOT INDEXED" : `INDEXED BY "${index}"`}`;
  }

  /**
   * Returns the table, read by the words that its records have.
   *
   * @param checksLast whether records are found by the beginning of the last word that is indexed, and checked for all of it
   */
  tableByWords(words: readonly string[], checksLast: boolean): string {
    const { collection } = this.#options;
    const found = `"${wordsTable(collection)}" (${this.add(matching(checksLast ? toIndexed(words) : words))}) AS found`;
    const conditions = ["id = found.rowid", ...this.#checks(words, checksLast)];
    return `${found} CROSS JOIN "${collection}" ON ${conditions.join(" AND ")}`;
  }

  /** Returns the table, read by the values of a list that meet a filter, which is not `ne`. */
  tableByValues(list: ListMember, filter: MemberFilter, owner: number | undefined, run?: RunOfIds): string {
    const { collection } = this.#options;
    let ids = this.#idsByValues(list, filter, owner, run).join(" UNION ");
    // With an order, both indexes are walked side by side as far as is asked for; else the ids are gathered, and sorted.
    if (list.single !== undefined && run?.most !== undefined) {
      ids += ` ORDER BY record${run.order[0]?.descending ? " DESC" : ""} LIMIT +${this.add(run.most)}`;
    }
    return `(${ids}) AS found CROSS JOIN "${collection}" ON id = found.record`;
  }

  /** Returns a table to count those records by: one that has the value in the list and as its single member counts twice. */
  countableByValues(list: ListMember, filter: MemberFilter, owner: number | undefined): string {
    return `(${this.#idsByValues(list, filter, owner).join(" UNION ALL ")})`;
  }

  /** Returns the queries for the ids, in the column `record`: by the values of the list, and by its single member. */
  #idsByValues(list: ListMember, filter: MemberFilter, owner: number | undefined, run?: RunOfIds): readonly string[] {
    const { collection } = this.#options;
    const sought = toListFilter(list, filter);
    // A record has a value once, and may have several of them.
    const each = sought.operator === "eq" || list.single !== undefined ? "" : "DISTINCT ";
    const member = this.add(list.name);
    const inList = `SELECT ${each}id AS record FROM "${valuesTable(collection)}" WHERE ${[
      `member = ${member}`,
      ...this.#valueConditions("value", sought),
      ...this.#beyond(run),
    ].join(" AND ")}`;
    if (list.single === undefined) return [inList];
    const ofOwner = owner === undefined ? [] : [`owner = ${this.add(owner)}`];
    const single = [...ofOwner, ...this.singleConditions(list, sought), ...this.#beyond(run)].join(" AND ");
    return [inList, `SELECT id FROM "${collection}" WHERE ${single}`];
  }

  /** Writes the condition for the ids behind a place. */
  #beyond({ range: [place] = [] }: Partial<RunOfIds> = {}): readonly string[] {
    if (place === undefined || !("value" in place)) return [];
    return [`id ${place.relation === "less" ? "<" : ">"} ${this.add(place.value)}`];
  }

  #valueConditions(value: string, filter: ListFilter): readonly string[] {
    switch (filter.operator) {
      case "eq":
        return [`${value} = ${this.add(filter.value)}`];
      case "in":
        return [`${value} IN (SELECT value FROM json_each(${this.add(JSON.stringify(filter.values))}))`];
      case "prefix": {
        const begin = `${value} >= ${this.add(filter.value)}`;
        const end = endOfPrefix(filter.value);
        return end === undefined ? [begin] : [begin, `${value} < ${this.add(end)}`];
      }
    }
  }

  #operand(member: string, bound: Bound): string {
    const { isKept = () => true } = this.#options;
    return `${isKept(member, bound) ? "" : "+"}${this.column(member).sql}`;
  }
}

const bounds: Readonly<Record<Operator, Bound>> = {
  "=": "equal",
  "<": "upper",
  "<=": "upper",
  ">": "lower",
  ">=": "lower",
};

/** The name of the SQL function that returns whether a document of a collection has what is sought by words, as JSON: see `hasSought`. */
export const hasSoughtFunction = "waymark_has_sought";

/** The name of the SQL function that can stop a statement: it returns 1, or throws when the statement must end. */
export const goOnFunction = "waymark_go_on";

/**
 * Returns the condition that calls the function at one record in 251, for 50 ns each. Because 251 is a prime, ids with
 * regular gaps have multiples of it too.
 */
const goOnAt = (id: string): string => `(${id} % 251 OR ${goOnFunction}())`;
