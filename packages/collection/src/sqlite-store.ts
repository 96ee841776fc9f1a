import type { DatabaseSync } from "node:sqlite";
import type { CollectionDefinition } from "./database.ts";
import type { SelectableMember, Selection } from "./selection.ts";
import { SqliteReads } from "./sqlite-reads.ts";
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
  readonly members: readonly SelectableMember[];
  readonly fullText: boolean;
  readonly #reads: SqliteReads;
  readonly #writer: SqliteWriter;
  readonly #collection: string;
  readonly #now: () => Date;

  constructor(database: DatabaseSync, writer: SqliteWriter, definition: CollectionDefinition, now: () => Date) {
    this.#reads = new SqliteReads(database, definition);
    this.members = this.#reads.members;
    this.fullText = this.#reads.fullText;
    this.#writer = writer;
    this.#collection = definition.name;
    this.#now = now;
  }

  find(id: number): StoredRecord | undefined {
    return this.#reads.find(id);
  }

  async *list(selection: Selection = {}): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    yield* this.#reads.list(selection);
  }

  count(selection: Selection = {}): number {
    return this.#reads.count(selection);
  }

  revision(): number {
    return this.#reads.revision();
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

  #creating(document: Document): CreateWrite {
    const time = this.#now().getTime();
    return { kind: "create", id: givenId(document), members: toMembersJson(document), time };
  }
}
