import { defaultOrder, type MemberValue, type Selection, type SortKey } from "../../contract/selection.ts";
import type { StoredRecord } from "../../contract/store.ts";
import { type Conditions, where } from "../../reading/conditions.ts";
import { type KeyCondition, keysetRanges } from "../../reading/keyset.ts";
import { type RecordRow, recordColumns } from "../../table/rows.ts";
import type { Statement } from "../connections/session.ts";
import { type Columns, PostgresDialect } from "../table/dialect.ts";
import { quoteName, toArrayText } from "../table/sql.ts";
import { stateExpression } from "./state.ts";

/** The first row of a statement: the state of the collection that the other rows show, and a text. */
export type HeadRow = readonly [state: string | null, ...none: readonly [null, null, null], text: string | null];

/** A record, the size of the records up to and including this one, and what the statement adds. */
export type SelectedRow = readonly [head: null, ...RecordRow<string>, through: string, ...others: (string | null)[]];

/**
 * Makes the statements of a selection. The rows of each are a `HeadRow`, and a `SelectedRow` for each record. Only the documents of a
 * batch are read, because large ones lie outside the table.
 */
export class PostgresSelection {
  readonly #collection: string;
  readonly #table: string;
  readonly #columns: Columns;
  readonly #conditions: Conditions;
  readonly #order: readonly SortKey[];

  /** @param owner the owner of the records; undefined for the records of all owners */
  constructor(
    collection: string,
    columns: Columns,
    { filters = [], words = [], order = defaultOrder }: Selection,
    owner?: number,
  ) {
    this.#collection = collection;
    this.#table = quoteName(collection);
    this.#columns = columns;
    this.#conditions = { owner, filters, words };
    this.#order = order;
  }

  /**
   * Makes the statement that reads the first records after a place, at most `count`. Its only row is a `HeadRow` whose text has them:
   * see `parseRecords`. A document that is longer than its share of `size` bytes is left out. Where few records are read, one text
   * takes half of what rows take.
   *
   * The count is written out: a plan that is kept for any count would be one for a tenth of the table.
   *
   * @param isForMany whether one plan is the best for all values, so that one statement answers for many
   */
  few(place: readonly MemberValue[] | undefined, count: number, size: number, isForMany: boolean): Statement {
    const dialect = new PostgresDialect(this.#columns, isForMany);
    const document = `CASE WHEN size <= ${Math.floor(size / count)} THEN document END`;
    const page = `SELECT string_agg(concat_ws(' ', id, revision, updated_at, ${document}), chr(1))
      FROM (${this.#first(dialect, `${recordColumns}, size`, place, `${count}`)}) AS first`;
    const text = `SELECT ${stateExpression(this.#collection)}, NULL, NULL, NULL, page.*, each.place
      FROM ${dialect.each} CROSS JOIN LATERAL (${page}) AS page`;
    return { text, values: dialect.values, isForMany: isForMany && dialect.values.length > 0 };
  }

  /**
   * Makes the statement that reads the first records after a place: at most `count` records, and about `size` bytes.
   *
   * The count is written out, as in `few`.
   */
  walk(place: readonly MemberValue[] | undefined, count: number, size: number): Statement {
    const dialect = new PostgresDialect(this.#columns);
    const text = `${this.#head("NULL", 0)} UNION ALL
      SELECT NULL, ${recordColumns}, through FROM (
        SELECT *, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS through FROM (
          ${this.#first(dialect, `${recordColumns}, size`, place, `${count}`)}
        ) AS first
      ) AS page WHERE through - size < ${dialect.add(size)} ORDER BY through`;
    return { text, values: dialect.values, isShort: true };
  }

  /**
   * Makes the statement that finds records: all after a place, or the first of them. The text of its head has their ids in order; its
   * rows are the first of these records, of about `size` bytes.
   */
  find({ after, limit }: Pick<Selection, "after" | "limit">, size: number): Statement {
    const dialect = new PostgresDialect(this.#columns);
    // Documents are looked up by their ids, so that the server sorts only short rows.
    const all = this.#first(dialect, "id, size", after, dialect.add(limit ?? Number.MAX_SAFE_INTEGER));
    const text = `WITH found AS MATERIALIZED (${all}) ${this.#head("(SELECT string_agg(id::text, ',') FROM found)", 0)} UNION ALL
      SELECT NULL, ${recordColumns}, through FROM (
        SELECT record.*, through FROM (
          SELECT id, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS through FROM (
            SELECT * FROM found LIMIT ${mostInBatch}
          ) AS beginning
        ) AS first ${this.#lookedUp("first.id")}
      ) AS page WHERE through - size < ${dialect.add(size)} ORDER BY through`;
    return { text, values: dialect.values };
  }

  /**
   * Makes the statement that reads records by their ids, in this order, of about `size` bytes. Its rows end with the position of the
   * id, from 1, with whether the selection has the record, and with whether it is as a snapshot shows it.
   */
  again(ids: Float64Array, size: number, snapshot: string): Statement {
    const dialect = new PostgresDialect(this.#columns);
    const source = `unnest(${dialect.add(toArrayText([...ids]))}::bigint[]) WITH ORDINALITY AS wanted (id, place)`;
    const conditions = dialect.conditions({ ...this.#conditions, owner: undefined });
    const text = `${this.#head("NULL", 3)} UNION ALL
      SELECT NULL, ${recordColumns}, through, place, ${["true", ...conditions].join(" AND ")},
        pg_visible_in_snapshot(tx, ${dialect.add(snapshot)}::pg_snapshot) FROM (
        SELECT record.*, place, sum(size) OVER (ORDER BY place) AS through
        FROM ${source} ${this.#lookedUp("wanted.id")}
      ) AS page WHERE through - size < ${dialect.add(size)} ORDER BY through`;
    return { text, values: dialect.values };
  }

  /** Makes the statement that counts the records. Its only row is a `HeadRow` whose text is their number. */
  count(most?: number): Statement {
    const dialect = new PostgresDialect(this.#columns);
    const state = stateExpression(this.#collection);
    const found = `${this.#table} ${this.#where(dialect)}`;
    const counted = most === undefined ? found : `(SELECT FROM ${found} LIMIT ${dialect.add(most)}) AS first`;
    const text = `SELECT ${state}, NULL, NULL, NULL, count(*) FROM ${counted}`;
    return { text, values: dialect.values };
  }

  /**
   * Writes the rows of the first records after a place. The server reads one range after the other, until there are enough records; it
   * would read ranges without a limit in parallel.
   */
  #first(dialect: PostgresDialect, columns: string, place: readonly MemberValue[] | undefined, most: string): string {
    const order = dialect.orderBy(this.#order);
    const ranges = this.#ranges(place).map(
      (range) => `(SELECT ${columns} FROM ${this.#table} ${this.#where(dialect, range)} ${order} LIMIT ${most})`,
    );
    return ranges.length === 1 ? `${ranges}` : `${ranges.join(" UNION ALL ")} LIMIT ${most}`;
  }

  /** Returns the ranges after a place, one at least; without a place, one range of everything. */
  #ranges(place: readonly MemberValue[] | undefined): readonly (readonly KeyCondition[])[] {
    if (place === undefined) return [[]];
    const canBe = ({ member, relation }: KeyCondition): boolean =>
      relation !== "absent" || this.#columns.get(member)?.isFull !== true;
    const all = keysetRanges(this.#order, place);
    const possible = all.filter((range) => range.every(canBe));
    return possible.length > 0 ? possible : all.slice(0, 1);
  }

  /**
   * Writes the beginning of a statement, which makes its `HeadRow`.
   *
   * @param others how many columns the other rows have after `through`
   */
  #head(text: string, others: number): string {
    return `SELECT ${stateExpression(this.#collection)}, NULL, NULL, NULL, ${text}, 0 AS through${", NULL".repeat(others)}`;
  }

  /**
   * Joins the record with an id. The limit has each looked up by the index on the ids: with some hundred ids, the server would
   * otherwise read a whole table of some thousand records for every batch.
   */
  #lookedUp(id: string): string {
    return `CROSS JOIN LATERAL (SELECT * FROM ${this.#table} WHERE id = ${id} LIMIT 1) AS record`;
  }

  #where(dialect: PostgresDialect, range: readonly KeyCondition[] = []): string {
    return where(dialect.conditions({ ...this.#conditions, range }));
  }
}

/** Reads the text of a statement of few records; undefined where it lacks a document. */
export function parseRecords(text: string | null): readonly StoredRecord[] | undefined {
  const texts = text === null ? [] : text.split("\u0001"); // which no JSON has
  const isWhole = texts.every((each) => each.includes("{"));
  return isWhole ? texts.map(parseRecord) : undefined;
}

function parseRecord(text: string): StoredRecord {
  const afterId = text.indexOf(" ");
  const afterRevision = text.indexOf(" ", afterId + 1);
  const begin = text.indexOf("{", afterRevision);
  return {
    id: Number(text.slice(0, afterId)),
    revision: Number(text.slice(afterId, afterRevision)),
    updatedAt: Number(text.slice(afterRevision, begin)),
    json: text.slice(begin),
  };
}

/** The most records that one statement reads for a batch. */
export const mostInBatch = 1000;

/** The most records that are read with a share of a batch for each: with 64 KiB, one of 1 KiB. */
export const mostFew = 64;
