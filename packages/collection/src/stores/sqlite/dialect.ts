import { Dialect, type Operator } from "../conditions.ts";
import { ownerIndex, type SqliteColumn } from "./columns.ts";
import { matching, wordsTable } from "./words.ts";

/** The columns of the members that records can be selected by, by name of the member. */
export type Columns = ReadonlyMap<string, SqliteColumn>;

/** How a condition bounds the values of a member; `list` is several values. */
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
  /** Whether the records are found by words; the id is then read from the table of words. */
  readonly isByWords?: boolean;
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
    // The same id, in whose order the table of words is read.
    return member === "id" && this.#options.isByWords === true ? { ...column, sql: "found.rowid" } : column;
  }

  override compare(member: string, operator: Operator, value: string | number): string {
    return `${this.#operand(member, bounds[operator])} ${operator} ${this.add(value)}`;
  }

  override comparePlace(member: string, operator: Operator, value: string | number): string {
    return `${this.column(member).sql} ${operator} ${this.add(value)}`;
  }

  override differs(member: string, value: string | number): string {
    return `${this.#operand(member, "none")} IS NOT ${this.add(value)}`;
  }

  override isOneOf(member: string, values: readonly (string | number)[]): string {
    // One parameter, so that the statement is the same for any number of values. A number of JavaScript is a REAL.
    const list = "SELECT iif(type = 'text', value, CAST(value AS REAL)) FROM json_each(?)";
    this.add(JSON.stringify(values));
    return `${this.#operand(member, "list")} IN (${list})`;
  }

  override hasWords(words: readonly string[]): string {
    const { collection, looksUpWords, isStoppable } = this.#options;
    const table = `"${wordsTable(collection)}" (${this.add(matching(words))})`;
    if (looksUpWords === true) return `EXISTS (SELECT 1 FROM ${table} AS found WHERE found.rowid = id)`;
    return `id IN (SELECT rowid FROM ${table}${isStoppable ? ` WHERE ${goOnAt("rowid")}` : ""})`;
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

  /** Returns the table, read by the words that its records have. */
  tableByWords(words: readonly string[]): string {
    const { collection } = this.#options;
    const found = `"${wordsTable(collection)}" (${this.add(matching(words))}) AS found`;
    return `${found} CROSS JOIN "${collection}" ON id = found.rowid`;
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

/** The name of the SQL function that can stop a statement: it returns 1, or throws when the statement must end. */
export const goOnFunction = "waymark_go_on";

/**
 * Returns the condition that calls the function at one record in 251, for 50 ns each. Because 251 is a prime, ids with
 * regular gaps have multiples of it too.
 */
const goOnAt = (id: string): string => `(${id} % 251 OR ${goOnFunction}())`;
