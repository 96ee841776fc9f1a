import type { DatabaseSync } from "node:sqlite";
import { nobodyWaits } from "../../contract/errors.ts";
import type { Selection } from "../../contract/selection.ts";
import type { StoredRecord } from "../../contract/store.ts";
import { toRecord } from "../../table/rows.ts";
import { goOnFunction } from "../table/dialect.ts";
import { few, planAtOnce, type SelectableRecords, type SelectionPlan } from "./plan.ts";
import { type SelectedRow, SqliteSelection } from "./selection.ts";

/** The next records of a selection. */
export interface RecordPage {
  /** The revision of the collection in a state that is not after that of the records. */
  readonly revision: number;
  /** About 64 KiB of records; empty when there are no more. */
  readonly records: readonly StoredRecord[];
  /** The selection of the records after these; undefined when there are no more. */
  readonly rest: Selection | undefined;
}

/** The first page of a selection, and the plan of the others. */
export interface FirstPage extends RecordPage {
  readonly plan: SelectionPlan;
}

/** Reads the first records of a selection in no longer than a page takes; undefined for one that may take longer. */
export function readAtOnce(records: SelectableRecords, selection: Selection, bound: ReadBound): FirstPage | undefined {
  const plan = planAtOnce(records, selection);
  if (plan === undefined) return undefined;
  if (plan.bound === undefined) return { ...readPage(records, selection, plan), plan };
  const read = (): ReadRecords => readWhole({ ...records, isStoppable: true }, selection, plan);
  const page = bound.within(plan.bound, () => inKnownState(records, selection, read));
  return page !== undefined && page.rest === undefined ? { ...page, plan } : undefined;
}

/** Reads the first records of a selection with the plan of a run. */
export const readPage = (records: SelectableRecords, selection: Selection, plan: SelectionPlan): RecordPage =>
  inKnownState(records, selection, () => readRun(records, selection, plan));

/** Returns the present revision of the collection. */
export function revisionOf({ collection, statements }: SelectableRecords): number {
  const counter = statements.prepare("SELECT revision FROM waymark_collections WHERE name = ?");
  return (counter.get(collection) as unknown as [number])[0]; // the collection has a row
}

/** Bounds how many records a statement reads over a connection; or has it end when the connection must stop what it does. */
export class ReadBound {
  /** How often the statement may still ask whether it may go on. */
  #left = 0;

  /** Returns the bound of a connection, of which there is one. */
  static of(database: DatabaseSync, mustStop?: () => boolean): ReadBound {
    const bound = bounds.get(database) ?? new ReadBound(database, mustStop);
    bounds.set(database, bound);
    return bound;
  }

  private constructor(database: DatabaseSync, mustStop: (() => boolean) | undefined) {
    database.function(goOnFunction, () => {
      if (mustStop?.() ?? --this.#left < 0) throw nobodyWaits();
      return 1;
    });
  }

  /**
   * Makes a read; returns undefined where its statement would read too many records.
   *
   * @param most how often the statement may ask, at one record in 251
   */
  within<T>(most: number, read: () => T): T | undefined {
    this.#left = most;
    try {
      return read();
    } catch (error) {
      if (this.#left < 0) return undefined;
      throw error;
    }
  }
}

const bounds = new WeakMap<DatabaseSync, ReadBound>();

/** Records, and the revision that their statement has seen; undefined where it has found nothing. */
type ReadRecords = Omit<RecordPage, "revision"> & { readonly revision: number | undefined };

function inKnownState(
  records: SelectableRecords,
  { after = [], limit = Number.POSITIVE_INFINITY }: Selection,
  read: () => ReadRecords,
): RecordPage {
  const isOneStatement = limit <= rowsAtOnce && after.length <= 1;
  const page = isOneStatement ? read() : records.inOneState(read);
  if (page.revision !== undefined) return { ...page, revision: page.revision };
  // Nothing was found, and something may have been stored since.
  return records.inOneState(() => ({ ...read(), revision: revisionOf(records) }));
}

function readRun(from: SelectableRecords, selection: Selection, plan: SelectionPlan): ReadRecords {
  const selected = new SqliteSelection(from, selection, plan);
  let { after, limit: left = Number.POSITIVE_INFINITY } = selection;
  const records: StoredRecord[] = [];
  let revision: number | undefined;
  for (let size = 0; size < mostCharacters && left > 0; ) {
    const wanted = Math.min(rowsAtOnce, left);
    const found = selected.rows(after, wanted, mostCharacters - size);
    revision ??= found[0]?.[4];
    for (const row of found) {
      const record = toRecord(row);
      records.push(record);
      size += record.json.length;
    }
    after = found.length === 0 ? after : selected.placeOf(found.at(-1) as SelectedRow); // there is a last one
    left = found.length < wanted && size < mostCharacters ? 0 : left - found.length;
  }
  if (left === 0 || after === undefined) return { revision, records, rest: undefined };
  return { revision, records, rest: { ...selection, after, ...(Number.isFinite(left) && { limit: left }) } };
}

/** Reads records by one statement: all, unless they are longer than a page. */
function readWhole(from: SelectableRecords, selection: Selection, plan: SelectionPlan): ReadRecords {
  const { after, limit = few } = selection;
  const rows = new SqliteSelection(from, selection, plan).rows(after, Math.min(limit, few), mostCharacters);
  const size = rows.reduce((sum, row) => sum + row[3].length, 0);
  return { revision: rows[0]?.[4], records: rows.map(toRecord), rest: size < mostCharacters ? undefined : selection };
}

/** In characters of JSON, for a page; exceeded by at most one record, or by some that are not long. */
export const mostCharacters = 65_536;

// Statements that return some rows at once cost less than stepping from row to row (1.6 against 2.6 µs a row of 300 bytes).
const rowsAtOnce = 32;
