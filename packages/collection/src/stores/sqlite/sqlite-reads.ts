import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import { type SelectableMember, type Selection, storeMembers } from "../../selection.ts";
import type { StoredRecord } from "../../store.ts";
import { assertSelection } from "../assert-selection.ts";
import { selectableColumns } from "./sqlite-columns.ts";
import { toStoreFault } from "./sqlite-fault.ts";
import { type Columns, filterConditions, ownerCondition, where, wordsCondition } from "./sqlite-query.ts";
import { type RecordRow, SqliteSelection } from "./sqlite-selection.ts";
import type { StandingLock } from "./sqlite-standing-lock.ts";
import { StatementCache } from "./statement-cache.ts";

/** The reads of a collection over one connection. */
export class SqliteReads {
  readonly members: readonly SelectableMember[];
  readonly fullText: boolean;
  readonly #collection: string;
  readonly #columns: Columns;
  readonly #statements: StatementCache;
  readonly #find: StatementSync;
  readonly #findOwned: string;
  readonly #revision: StatementSync;
  readonly #lock: StandingLock | undefined;

  constructor(database: DatabaseSync, definition: CollectionDefinition, lock?: StandingLock) {
    this.members = [...storeMembers, ...(definition.selectable ?? [])];
    this.fullText = (definition.fullText ?? []).length > 0;
    this.#collection = definition.name;
    this.#columns = selectableColumns(definition);
    this.#statements = new StatementCache(database);
    const find = `SELECT id, revision, updated_at, document FROM "${definition.name}" WHERE id = ?`;
    this.#find = database.prepare(find);
    this.#findOwned = `${find} AND owner = ?`;
    this.#revision = database.prepare("SELECT revision FROM waymark_collections WHERE name = ?");
    for (const read of [this.#find, this.#revision]) read.setReturnArrays(true);
    this.#lock = lock;
  }

  find(id: number, owner: number | undefined): StoredRecord | undefined {
    if (!Number.isSafeInteger(id)) return undefined; // nobody has it, and SQLite might not be able to say so
    this.#lock?.beforeRead();
    return guarded(() => {
      // The statement returns arrays of the four columns, whose types the table enforces.
      const row = (
        owner === undefined ? this.#find.get(id) : this.#statements.prepare(this.#findOwned).get(id, owner)
      ) as RecordRow | undefined;
      return row && toRecord(row);
    });
  }

  *list(selection: Selection, owner: number | undefined): Generator<readonly StoredRecord[], void, undefined> {
    assertSelection(selection, this.members, this.fullText);
    const selected = guarded(
      () => new SqliteSelection(this.#collection, this.#columns, selection, this.#statements, owner),
    );
    let { after, limit: left = Number.POSITIVE_INFINITY } = selection;
    while (left > 0) {
      const batch: StoredRecord[] = [];
      for (let size = 0; size < batchSize && left > 0; ) {
        const wanted = Math.min(selected.pageSize, left);
        const page = guarded(() => selected.page(after, wanted));
        for (const row of page) {
          const record = toRecord(row);
          batch.push(record);
          size += record.json.length;
        }
        after = page.length === 0 ? after : selected.placeOf(page.at(-1) as RecordRow); // there is a last one
        left = page.length < wanted ? 0 : left - page.length;
      }
      if (batch.length > 0) yield batch;
    }
  }

  count(selection: Selection, owner: number | undefined): number {
    const { filters = [], words = [] } = selection;
    assertSelection(selection, this.members, this.fullText);
    const { text, values } = where([
      ...ownerCondition(owner),
      ...filters.flatMap((filter) => filterConditions(filter, this.#columns, () => true)),
      ...(words.length > 0 ? [wordsCondition(this.#collection, words)] : []),
    ]);
    return guarded(() => {
      const statement = this.#statements.prepare(`SELECT count(*) FROM "${this.#collection}" ${text}`);
      const [count] = statement.get(...values) as unknown as [number]; // an aggregate has a row
      return count;
    });
  }

  revision(): number {
    return guarded(() => {
      // The collection's row was made when the database was opened, and is never deleted.
      const [revision] = this.#revision.get(this.#collection) as unknown as [number];
      return revision;
    });
  }
}

/** When a batch is large enough, in characters of JSON; it goes beyond by at most a page. */
const batchSize = 65_536;

const toRecord = ([id, revision, updatedAt, json]: RecordRow): StoredRecord => ({ id, revision, updatedAt, json });

function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toStoreFault(error);
  }
}
