import type { DatabaseSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import type { Selection } from "../../selection.ts";
import type { StoredRecord } from "../../store.ts";
import { selectableColumns } from "./sqlite-columns.ts";
import { guardedRead } from "./sqlite-fault.ts";
import { planOf, type SelectableRecords, type SelectionPlan } from "./sqlite-plan.ts";
import {
  type Columns,
  filterConditions,
  ownerCondition,
  stopCondition,
  where,
  wordsCondition,
} from "./sqlite-query.ts";
import { type RecordRow, SqliteSelection, toRecord } from "./sqlite-selection.ts";
import { StatementCache } from "./statement-cache.ts";

/** The next records of a selection. */
export interface Batch {
  /** Of about 64 KiB; none when there are no more. */
  readonly records: readonly StoredRecord[];
  /** The selection of those behind them; undefined when there are no more. */
  readonly rest: Selection | undefined;
  readonly plan: SelectionPlan;
}

/** The reads of many records over one connection. Of selections that make sense: these are asserted before. */
export class SqliteQueries {
  readonly #columns: ReadonlyMap<string, Columns>;
  readonly #statements: StatementCache;
  readonly #isStoppable: boolean;

  /** @param isStoppable whether the connection has the function that stops a statement */
  constructor(database: DatabaseSync, collections: readonly CollectionDefinition[], isStoppable = false) {
    this.#columns = new Map(collections.map((definition) => [definition.name, selectableColumns(definition)]));
    this.#statements = new StatementCache(database);
    this.#isStoppable = isStoppable;
  }

  /** @param plan of the selection, where it is known already */
  batch(collection: string, selection: Selection, owner: number | undefined, plan?: SelectionPlan): Batch {
    return guardedRead(() => {
      const records = this.#recordsOf(collection, owner);
      return nextBatch(records, selection, plan ?? planOf(records, selection));
    });
  }

  count(collection: string, { filters = [], words = [] }: Selection, owner: number | undefined): number {
    const records = this.#recordsOf(collection, owner);
    const conditions = [
      ...ownerCondition(owner),
      ...filters.flatMap((filter) => filterConditions(filter, records.columns, () => true)),
      ...(words.length > 0 ? [wordsCondition(collection, words, this.#isStoppable)] : []),
    ];
    // Without any SQLite counts by the pages of an index, which takes a quarter of the time.
    const { text, values } = where(conditions.length === 0 ? [] : [...stopCondition(records), ...conditions]);
    return guardedRead(() => {
      const statement = this.#statements.prepare(`SELECT count(*) FROM "${collection}" ${text}`);
      const [count] = statement.get(...values) as unknown as [number]; // an aggregate has a row
      return count;
    });
  }

  #recordsOf(collection: string, owner: number | undefined): SelectableRecords {
    const columns = this.#columns.get(collection) as Columns; // a store asks for a collection of its database
    return { collection, columns, statements: this.#statements, owner, isStoppable: this.#isStoppable };
  }
}

function nextBatch(from: SelectableRecords, selection: Selection, plan: SelectionPlan): Batch {
  const selected = new SqliteSelection(from, selection, plan);
  let { after, limit: left = Number.POSITIVE_INFINITY } = selection;
  const records: StoredRecord[] = [];
  for (let size = 0; size < batchSize && left > 0; ) {
    const wanted = Math.min(selected.pageSize, left);
    const page = selected.page(after, wanted);
    for (const row of page) {
      const record = toRecord(row);
      records.push(record);
      size += record.json.length;
    }
    after = page.length === 0 ? after : selected.placeOf(page.at(-1) as RecordRow); // there is a last one
    left = page.length < wanted ? 0 : left - page.length;
  }
  if (left === 0 || after === undefined) return { records, rest: undefined, plan };
  const rest = { ...selection, after, ...(Number.isFinite(left) && { limit: left }) };
  return { records, rest, plan };
}

/** When a batch is large enough, in characters of JSON; it goes beyond by at most a page. */
const batchSize = 65_536;
