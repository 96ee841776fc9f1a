import type { DatabaseSync, StatementSync } from "node:sqlite";
import { toStoreFault } from "./sqlite-fault.ts";
import type { SqliteWriter } from "./sqlite-writer.ts";
import type { CreateWrite } from "./sqlite-writes.ts";
import {
  type BulkCreation,
  type BulkOptions,
  type Creation,
  type Document,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
} from "./store.ts";
import { givenId, toMembersJson } from "./stored-json.ts";

/** The records of one collection in an SQLite file: read here, and changed by the writer. */
export class SqliteStore implements Store {
  readonly #writer: SqliteWriter;
  readonly #collection: string;
  readonly #now: () => Date;
  readonly #find: StatementSync;
  readonly #page: StatementSync;
  readonly #revision: StatementSync;

  constructor(database: DatabaseSync, writer: SqliteWriter, collection: string, now: () => Date) {
    this.#writer = writer;
    this.#collection = collection;
    this.#now = now;
    const record = `SELECT id, revision, updated_at, document FROM "${collection}"`;
    this.#find = database.prepare(`${record} WHERE id = ?`);
    this.#page = database.prepare(`${record} WHERE id > ? ORDER BY id LIMIT ${pageSize}`);
    this.#revision = database.prepare("SELECT revision FROM waymark_collections WHERE name = ?");
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
    return this.#writer.write(this.#collection, this.#creating(document));
  }

  async createAll(
    documents: Iterable<Document> | AsyncIterable<Document>,
    { onlyIfEmpty = false }: BulkOptions = {},
  ): Promise<BulkCreation> {
    const toWrite = (document: Document): CreateWrite => this.#creating(document);
    const outcome = await this.#writer.load(this.#collection, documents, toWrite, onlyIfEmpty);
    if (outcome.kind === "not-empty") throw new StoreNotEmpty(`The collection ${this.#collection} has records`);
    return outcome;
  }

  async replace(id: number, document: Document, expectedRevision?: number): Promise<Replacement> {
    const time = this.#now().getTime();
    const write = { kind: "replace", id, members: toMembersJson(document), time, expectedRevision } as const;
    return this.#writer.write(this.#collection, write);
  }

  async remove(id: number, expectedRevision?: number): Promise<Removal> {
    return this.#writer.write(this.#collection, { kind: "remove", id, expectedRevision });
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

  #creating(document: Document): CreateWrite {
    const time = this.#now().getTime();
    return { kind: "create", id: givenId(document), members: toMembersJson(document), time };
  }
}

/** When a batch is large enough, in characters of JSON; it goes beyond by at most a page. */
const batchSize = 65_536;

// Statements that return some rows at once cost half of what stepping from row to row does (0.5 against 1 µs a row).
const pageSize = 32;

type RecordRow = readonly [id: number, revision: number, updatedAt: number, json: string];

const toRecord = ([id, revision, updatedAt, json]: RecordRow): StoredRecord => ({ id, revision, updatedAt, json });
