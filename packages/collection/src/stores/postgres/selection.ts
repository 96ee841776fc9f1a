import { comparedValue, endOfPrefix } from "../../member-value.ts";
import type { MemberFilter, MemberValue, Selection, SortKey } from "../../selection.ts";
import { type ReadOptions, type StoredRecord, StoreUnavailable } from "../../store.ts";
import { type KeyCondition, keysetRanges } from "../keyset.ts";
import { type ComparedColumn, indexedLength, orderTerm, toCompared } from "./columns.ts";
import type { Statement } from "./connection.ts";
import { toSelectionFault } from "./fault.ts";
import type { PostgresPool } from "./pool.ts";
import { type RecordRow, recordColumns, StatementValues, toArrayText, toRecord } from "./sql.ts";
import { wordsCondition } from "./words.ts";

/** A selection, to be read in batches: each by the index on the first key, from its place on. */
export class PostgresSelection {
  readonly #table: string;
  readonly #columns: Columns;
  readonly #filters: readonly MemberFilter[];
  readonly #words: readonly string[];
  readonly #owner: number | undefined;
  readonly #order: readonly SortKey[];

  /**
   * @param table quoted
   * @param owner whose records it is of; undefined for those of all
   */
  constructor(table: string, columns: Columns, { filters = [], words = [], order = byId }: Selection, owner?: number) {
    this.#owner = owner;
    this.#table = table;
    this.#columns = columns;
    this.#filters = filters;
    this.#words = words;
    this.#order = order;
  }

  /** The records in batches of about 64 KiB, each read when it is asked for; none once the signal is aborted. */
  async *batches(
    pool: PostgresPool,
    { after, limit = Number.POSITIVE_INFINITY }: Selection,
    options: ReadOptions,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    let place = after;
    for (let left = limit; left > 0; ) {
      const { rows, isLast } = await this.#batch(pool, place, Math.min(left, mostInBatch), options);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(toRecordOf);
      if (isLast) return;
      left -= rows.length;
      place = this.#placeOf(last);
    }
  }

  /** How many records it has. */
  async count(pool: PostgresPool, options: ReadOptions): Promise<number> {
    const values = new StatementValues();
    const text = `SELECT count(*) FROM ${this.#table} ${this.#where([], values)}`;
    const [row] = await read<readonly [count: string]>(pool, { text, values: values.all }, options);
    return Number(row?.[0]);
  }

  /** What is behind a place; without one, everything. */
  ranges(place: readonly MemberValue[] | undefined): readonly (readonly KeyCondition[])[] {
    if (place === undefined) return [[]];
    const canBe = ({ member, relation }: KeyCondition): boolean =>
      relation !== "absent" || !columnOf(this.#columns, member).isFull;
    return keysetRanges(this.#order, place).filter((range) => range.every(canBe));
  }

  /** What reads the first records of a range, at most so many and of about so many bytes. */
  statement(range: readonly KeyCondition[], count: number, size: number): Statement {
    const values = new StatementValues();
    const keys = this.#order.slice(0, -1).map(({ member }) => `, ${columnOf(this.#columns, member).sql}`);
    const terms = this.#order.map(({ member, descending }) => orderTerm(columnOf(this.#columns, member), descending));
    const order = `ORDER BY ${terms.join(", ")}`;
    // Those of the first bytes alone are taken out of the table, where large documents lie apart.
    const text = `SELECT ${recordColumns}, through${keys.join("")} FROM (
        SELECT *, sum(size) OVER (${order}) AS through FROM ${this.#table} ${this.#where(range, values)} ${order}
        LIMIT ${values.add(count)}
      ) AS page WHERE through - size < ${values.add(size)} ${order}`;
    return { text, values: values.all };
  }

  async #batch(
    pool: PostgresPool,
    place: readonly MemberValue[] | undefined,
    wanted: number,
    options: ReadOptions,
  ): Promise<{ readonly rows: readonly SelectedRow[]; readonly isLast: boolean }> {
    const rows: SelectedRow[] = [];
    let size = 0;
    for (const range of this.ranges(place)) {
      const statement = this.statement(range, wanted - rows.length, batchSize - size);
      const found = await read<SelectedRow>(pool, statement, options);
      rows.push(...found);
      size += sizeOf(found);
      if (rows.length === wanted || size >= batchSize) return { rows, isLast: false };
    }
    return { rows, isLast: true };
  }

  #where(range: readonly KeyCondition[], values: StatementValues): string {
    const conditions = [
      ...(this.#owner === undefined ? [] : [`owner = ${values.add(this.#owner)}`]),
      ...keyConditions(range, this.#columns, values),
      ...this.#filters.map((filter) => filterCondition(filter, this.#columns, values)),
      ...(this.#words.length > 0 ? [wordsCondition(this.#words, values)] : []),
    ];
    return conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  }

  /** The place of a record in the order. */
  #placeOf([id, _revision, _updatedAt, _document, _through, ...keys]: SelectedRow): readonly MemberValue[] {
    const values = keys.map((value, position) => {
      const { member } = this.#order[position] as SortKey; // there is a value for each key
      const { type } = columnOf(this.#columns, member);
      return value !== null && (type === "number" || type === "time") ? Number(value) : value;
    });
    return [...values, Number(id)];
  }
}

/** What the server is at work on is not stopped, which would take a connection more: it ends within its statement timeout. */
async function read<Row extends readonly (string | null)[]>(
  pool: PostgresPool,
  statement: Statement,
  { signal }: ReadOptions,
): Promise<Row[]> {
  if (signal?.aborted) throw new StoreUnavailable("Nobody waits for the answer any more", { cause: signal.reason });
  return pool.read<Row>(statement, toSelectionFault);
}

const byId: readonly SortKey[] = [{ member: "id", descending: false }];

/** In bytes of JSON; a batch goes beyond by at most one record. */
const batchSize = 65_536;

const mostInBatch = 1000;

/** With the size of the rows up to this one, and the values of the keys of the order but `id`. */
type SelectedRow = readonly [...RecordRow, through: string, ...keys: (string | null)[]];

const toRecordOf = ([id, revision, updatedAt, document]: SelectedRow): StoredRecord =>
  toRecord([id, revision, updatedAt, document]);

const sizeOf = (rows: readonly SelectedRow[]): number => Number(rows.at(-1)?.[4] ?? 0);

/** The columns of the members that can be selected by. */
export type Columns = ReadonlyMap<string, ComparedColumn>;

const columnOf = (columns: Columns, member: string): ComparedColumn => columns.get(member) as ComparedColumn; // asserted

/** What a filter says, as a condition. */
function filterCondition(filter: MemberFilter, columns: Columns, values: StatementValues): string {
  const column = columnOf(columns, filter.member);
  switch (filter.operator) {
    case "eq":
      return compare(column, "=", filter.value, values);
    case "ne":
      return `(${compare(column, "=", filter.value, values)}) IS NOT TRUE`;
    case "gt":
      return compare(column, ">", filter.value, values);
    case "ge":
      return compare(column, ">=", filter.value, values);
    case "lt":
      return compare(column, "<", filter.value, values);
    case "le":
      return compare(column, "<=", filter.value, values);
    case "prefix": {
      const prefix = comparedValue(filter.value, column.type);
      const end = endOfPrefix(prefix);
      const begin = compare(column, ">=", prefix, values);
      return end === undefined ? begin : `(${begin} AND ${compare(column, "<", end, values)})`;
    }
    case "in":
      return isOneOf(column, filter.values, values);
  }
}

/** What a range of a keyset says, as conditions that all hold. */
function keyConditions(range: readonly KeyCondition[], columns: Columns, values: StatementValues): string[] {
  return range.map((condition) => {
    const column = columnOf(columns, condition.member);
    switch (condition.relation) {
      case "absent":
        return `${column.sql} IS NULL`;
      case "present":
        return `${column.sql} IS NOT NULL`;
      default: {
        // Places are told apart by what the index has.
        const { value } = condition;
        const place = typeof value === "string" ? firstCharacters(value) : value;
        return compare({ ...column, whole: undefined }, relations[condition.relation], place, values);
      }
    }
  });
}

const relations = { equal: "=", greater: ">", less: "<" } as const;

type Operator = "=" | "<" | "<=" | ">" | ">=";

function compare(column: ComparedColumn, operator: Operator, value: string | number, values: StatementValues): string {
  if (typeof value === "number" && column.isInteger) return compareInteger(column, operator, value, values);
  const compared = toCompared(value, column.type);
  return `${operand(column, [compared])} ${operator} ${values.add(compared)}`;
}

/** What is indexed or, where it may have the beginning alone of what is compared, the expression for the whole. */
function operand({ sql, whole }: ComparedColumn, compared: readonly (string | number)[]): string {
  const isLong = (value: string | number): boolean =>
    typeof value === "string" && firstCharacters(value).length >= indexedLength && isCut(value);
  return whole !== undefined && compared.some(isLong) ? whole : sql;
}

/** A column of whole numbers with any number: the server refuses to compare it with a fraction, or one that is too great. */
function compareInteger({ sql }: ComparedColumn, operator: Operator, value: number, values: StatementValues): string {
  if (operator === "=" && !(Number.isInteger(value) && Math.abs(value) <= greatest)) return "false";
  // Below 1.5 is below 2, and up to 1.5 is up to 1.
  const whole = operator === "<" || operator === ">=" ? Math.ceil(value) : Math.floor(value);
  return `${sql} ${operator} ${values.add(Math.min(greatest, Math.max(-greatest, whole)))}`;
}

/** Beyond every value of a column, and less than the server's own limit. */
const greatest = 2 ** 62;

function isOneOf(column: ComparedColumn, sought: readonly (string | number)[], values: StatementValues): string {
  const compared = sought
    .map((value) => toCompared(value, column.type))
    .filter((value) => !column.isInteger || (Number.isInteger(value) && Math.abs(Number(value)) <= greatest));
  return `${operand(column, compared)} = ANY(${values.add(toArrayText(compared))})`;
}

const firstCharacters = (text: string): string =>
  isCut(text) ? Array.from(text).slice(0, indexedLength).join("") : text;

/** Whether an index has less than the whole of it, or just that. */
const isCut = (text: string): boolean => text.length >= indexedLength && Array.from(text).length >= indexedLength;
