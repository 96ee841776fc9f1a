import type { DatabaseSync, StatementSync } from "node:sqlite";
import { toStoreFault } from "./sqlite-fault.ts";
import { openSqliteFile } from "./sqlite-file.ts";
import { prepareSchema } from "./sqlite-schema.ts";
import { SqliteWrites } from "./sqlite-writes.ts";
import {
  type Creation,
  type Document,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
} from "./store.ts";
import { givenId, toMembersJson } from "./stored-json.ts";

export interface SqliteStoreOptions {
  /** The path of the database file, made if it is missing; or `:memory:`. */
  readonly file: string;
  /** Names the table: a lower-case letter, then up to 62 of `a-z`, `0-9` and `_`. One file can hold several collections. */
  readonly collection: string;
  /**
   * Members of which no two records have the same value; they may be absent. Text compares by code points, with case;
   * the number 1 and the text "1" differ.
   */
  readonly unique?: readonly string[];
  /**
   * How long a write waits for one of another process, in milliseconds; 1000 unless told. The thread waits with it.
   * Reads never wait.
   */
  readonly busyTimeout?: number;
  /** The clock for `createdAt` and `updatedAt`. */
  readonly now?: () => Date;
}

/**
 * Opens a store in an SQLite file; several processes may share one. Reads are synchronous: `find` gives no promise.
 *
 * ```ts
 * const people = openSqliteStore({ file: "data/person.db", collection: "person", unique: ["identifier"] });
 * ```
 *
 * @throws StoreOpenError when the file cannot be opened, or is not one of ours; the message says what to do
 * @throws TypeError when the name of the collection or of a unique member is not one
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const { file, collection, unique = [], busyTimeout = 1000, now = () => new Date() } = options;
  assertNames(collection, unique);
  const database = openSqliteFile(file, busyTimeout, (opened) => prepareSchema(opened, collection, unique));
  return new SqliteStore(database, collection, unique, now);
}

class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #collection: string;
  readonly #now: () => Date;
  readonly #find: StatementSync;
  readonly #page: StatementSync;
  readonly #revision: StatementSync;
  readonly #writes: SqliteWrites;

  constructor(database: DatabaseSync, collection: string, unique: readonly string[], now: () => Date) {
    this.#database = database;
    this.#collection = collection;
    this.#now = now;
    const record = `SELECT id, revision, updated_at, document FROM "${collection}"`;
    this.#find = database.prepare(`${record} WHERE id = ?`);
    this.#page = database.prepare(`${record} WHERE id > ? ORDER BY id LIMIT ${pageSize}`);
    this.#revision = database.prepare("SELECT revision FROM waymark_collections WHERE name = ?");
    this.#writes = new SqliteWrites(database, collection, unique);
    for (const read of [this.#find, this.#page, this.#revision]) read.setReturnArrays(true);
  }

  find(id: number): StoredRecord | undefined {
    if (!Number.isSafeInteger(id)) return undefined; // nobody has it, and SQLite might not be able to say so
    try {
      // The statement returns arrays of the four columns, whose types the table enforces.
      const row = this.#find.get(id) as RecordRow | undefined;
      return row && toRecord(row);
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  async *list(): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    let after = 0;
    for (;;) {
      const batch = this.#batchAfter(after);
      const last = batch.at(-1);
      if (last === undefined) return;
      yield batch;
      after = last.id;
    }
  }

  async create(document: Document): Promise<Creation> {
    return this.#write(() => this.#add(document));
  }

  async createAll(documents: Iterable<Document>): Promise<number> {
    return this.#write(() => {
      if (this.#page.get(0) !== undefined) throw new StoreNotEmpty(`The collection ${this.#collection} has records`);
      let count = 0;
      for (const document of documents) {
        const creation = this.#add(document);
        count++;
        if (creation.kind === "conflict") throw this.#repetition(document, count, creation.member);
      }
      return count;
    });
  }

  async replace(id: number, document: Document, expectedRevision?: number): Promise<Replacement> {
    const members = toMembersJson(document);
    return this.#write(() =>
      this.#writes.replace({ kind: "replace", id, members, time: this.#now().getTime(), expectedRevision }),
    );
  }

  async remove(id: number, expectedRevision?: number): Promise<Removal> {
    return this.#write(() => this.#writes.remove({ kind: "remove", id, expectedRevision }));
  }

  revision(): number {
    try {
      // The collection's row was made when the store was opened, and is never deleted.
      const [revision] = this.#revision.get(this.#collection) as unknown as [number];
      return revision;
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  async check(): Promise<void> {
    this.revision();
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  /** Records after the id, read in small pages until they come to the size of a batch. */
  #batchAfter(id: number): StoredRecord[] {
    const batch: StoredRecord[] = [];
    try {
      for (let after = id, size = 0; size < batchSize; ) {
        // As in find.
        const page = this.#page.all(after) as unknown as RecordRow[];
        for (const row of page) {
          const record = toRecord(row);
          batch.push(record);
          size += record.json.length;
          after = record.id;
        }
        if (page.length < pageSize) break;
      }
    } catch (error) {
      throw toStoreFault(error);
    }
    return batch;
  }

  /** Within a transaction that may write. */
  #add(document: Document): Creation {
    const id = givenId(document);
    return this.#writes.create({ kind: "create", id, members: toMembersJson(document), time: this.#now().getTime() });
  }

  #repetition(document: Document, position: number, member: string): Error {
    const id = givenId(document);
    const isOfRemoved = member === "id" && id !== undefined && this.#writes.wasRemoved(id);
    return new Error(
      `Document ${position} has the ${member} of ${isOfRemoved ? "a record that was removed" : "one before it"}`,
    );
  }

  /** Runs the work in a transaction: what it throws, and a commit that fails, undoes it all. */
  #write<T>(work: () => T): T {
    const database = this.#database;
    try {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK"); // SQLite itself has undone it when the disk was full
        throw error;
      }
    } catch (error) {
      throw toStoreFault(error);
    }
  }
}

/** When a batch is large enough, in characters of JSON; it goes beyond by at most a page. */
const batchSize = 65_536;

// Statements that return some rows at once cost half of what stepping from row to row does (0.5 against 1 µs a row).
const pageSize = 32;

type RecordRow = readonly [id: number, revision: number, updatedAt: number, json: string];

const toRecord = ([id, revision, updatedAt, json]: RecordRow): StoredRecord => ({ id, revision, updatedAt, json });

function assertNames(collection: string, unique: readonly string[]): void {
  if (!/^(?!sqlite_|waymark_)[a-z][a-z0-9_]{0,62}$/.test(collection)) {
    throw new TypeError(
      `${JSON.stringify(collection)} cannot name a collection: it takes 1 to 63 of a-z, 0-9 and _, a letter first, and no sqlite_ or waymark_ before them`,
    );
  }
  for (const member of unique) {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(member)) {
      throw new TypeError(
        `${JSON.stringify(member)} cannot be unique: such a member takes 1 to 63 of A-Z, a-z, 0-9 and _`,
      );
    }
  }
  // SQLite's names of columns compare without case.
  if (new Set(unique.map((member) => member.toLowerCase())).size < unique.length) {
    throw new TypeError(`Two unique members have one name: ${unique.join(", ")}`);
  }
}
