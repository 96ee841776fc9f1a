import { defaultOrder, type MemberFilter, type MemberValue, type Selection, type SortKey } from "../../selection.ts";
import type { ReadOptions, RecordBatch } from "../../store.ts";
import { where } from "../conditions.ts";
import { type KeyCondition, keysetRanges } from "../keyset.ts";
import { type RecordRow, recordColumns, toRecord } from "../rows.ts";
import type { ComparedColumn } from "./columns.ts";
import { type Columns, PostgresDialect } from "./dialect.ts";
import { toSelectionFault } from "./fault.ts";
import type { PostgresPool } from "./pool.ts";
import type { Statement } from "./session.ts";

/** A selection of records, read in batches: each by the index on the first key, from its place on. */
export class PostgresSelection {
  readonly #table: string;
  readonly #columns: Columns;
  readonly #filters: readonly MemberFilter[];
  readonly #words: readonly string[];
  readonly #owner: number | undefined;
  readonly #order: readonly SortKey[];

  /**
   * @param table the quoted name of the table
   * @param owner the owner of the records; undefined for the records of all owners
   */
  constructor(
    table: string,
    columns: Columns,
    { filters = [], words = [], order = defaultOrder }: Selection,
    owner?: number,
  ) {
    this.#owner = owner;
    this.#table = table;
    this.#columns = columns;
    this.#filters = filters;
    this.#words = words;
    this.#order = order;
  }

  /** Reads the first records from the place on, about 64 KiB; none after the signal is aborted. */
  async batch(
    pool: PostgresPool,
    { after, limit = Number.POSITIVE_INFINITY }: Selection,
    options: ReadOptions,
  ): Promise<RecordBatch> {
    const { rows, isLast } = await this.#rows(pool, after, Math.min(limit, mostInBatch), options);
    const left = limit - rows.length;
    const last = isLast || left === 0 ? undefined : rows.at(-1);
    const next = last && (() => this.batch(pool, { after: this.#placeOf(last), limit: left }, options));
    return { records: rows.map(toRecord), next };
  }

  /** Returns the number of records. */
  async count(pool: PostgresPool, options: ReadOptions): Promise<number> {
    const dialect = new PostgresDialect(this.#columns);
    const text = `SELECT count(*) FROM ${this.#table} ${this.#where(dialect)}`;
    const [row] = await pool.read<readonly [count: string]>(
      { text, values: dialect.values },
      toSelectionFault,
      options,
    );
    return Number(row?.[0]);
  }

  /** Returns the ranges after a place; without a place, one range of everything. */
  ranges(place: readonly MemberValue[] | undefined): readonly (readonly KeyCondition[])[] {
    if (place === undefined) return [[]];
    const canBe = ({ member, relation }: KeyCondition): boolean =>
      relation !== "absent" || !this.#columnOf(member).isFull;
    return keysetRanges(this.#order, place).filter((range) => range.every(canBe));
  }

  /** Makes the statement that reads the first records of a range: at most `count` records, and about `size` bytes. */
  statement(range: readonly KeyCondition[], count: number, size: number): Statement {
    const dialect = new PostgresDialect(this.#columns);
    const order = dialect.orderBy(this.#order);
    // The limit comes first, so that an engine of several nodes sends only that many rows to the node that adds up their sizes.
    // Only the documents within the size are then read, because large ones lie outside the table.
    const text = `SELECT ${recordColumns}, through${dialect.keyColumns(this.#order)} FROM (
        SELECT *, sum(size) OVER (${order}) AS through FROM (
          SELECT * FROM ${this.#table} ${this.#where(dialect, range)} ${order} LIMIT ${dialect.add(count)}
        ) AS first
      ) AS page WHERE through - size < ${dialect.add(size)} ${order}`;
    return { text, values: dialect.values };
  }

  async #rows(
    pool: PostgresPool,
    place: readonly MemberValue[] | undefined,
    wanted: number,
    options: ReadOptions,
  ): Promise<{ readonly rows: readonly SelectedRow[]; readonly isLast: boolean }> {
    const rows: SelectedRow[] = [];
    let size = 0;
    for (const range of this.ranges(place)) {
      const statement = this.statement(range, wanted - rows.length, batchSize - size);
      const found = await pool.read<SelectedRow>(statement, toSelectionFault, options);
      rows.push(...found);
      size += sizeOf(found);
      if (rows.length === wanted || size >= batchSize) return { rows, isLast: false };
    }
    return { rows, isLast: true };
  }

  #where(dialect: PostgresDialect, range: readonly KeyCondition[] = []): string {
    return where(dialect.conditions({ owner: this.#owner, filters: this.#filters, words: this.#words, range }));
  }

  #columnOf(member: string): ComparedColumn {
    return this.#columns.get(member) as ComparedColumn; // the selection was asserted
  }

  /** Returns the place of a record in the order. */
  #placeOf([id, _revision, _updatedAt, _document, _through, ...keys]: SelectedRow): readonly MemberValue[] {
    const values = keys.map((value, position) => {
      const { member } = this.#order[position] as SortKey; // there is a value for each key
      const { type } = this.#columnOf(member);
      return value !== null && (type === "number" || type === "time") ? Number(value) : value;
    });
    return [...values, Number(id)];
  }
}

/** In bytes of JSON, exceeded by at most one record. */
const batchSize = 65_536;

const mostInBatch = 1000;

/** A row with the total size of the rows up to and including this one, and the values of the keys of the order except `id`. */
type SelectedRow = readonly [...RecordRow<string>, through: string, ...keys: (string | null)[]];

const sizeOf = (rows: readonly SelectedRow[]): number => Number(rows.at(-1)?.[4] ?? 0);
