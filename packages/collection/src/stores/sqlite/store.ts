import type { CollectionDefinition } from "../../database.ts";
import type { SelectableMember, Selection } from "../../selection.ts";
import {
  type BulkCreation,
  type BulkOptions,
  type Creation,
  type CreationOptions,
  type Document,
  type ReadOptions,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  StoreNotEmpty,
} from "../../store.ts";
import {
  type CreateWrite,
  givenId,
  type OutcomeOf,
  type Write,
  type WrittenContent,
  writtenContent,
} from "../write.ts";
import { type SqliteConnections, SqliteReads } from "./reads.ts";
import type { SqliteWriter } from "./writer.ts";

/** The store of a collection in an SQLite file. */
export function sqliteStore(
  connections: SqliteConnections,
  writer: SqliteWriter,
  definition: CollectionDefinition,
  now: () => Date,
): Store {
  return new SqliteStore({ definition, reads: new SqliteReads(connections, definition), writer, now });
}

/** The records of one collection in an SQLite file, or of one owner in it: read here, and changed by the writer. */
class SqliteStore implements Store {
  readonly members: readonly SelectableMember[];
  readonly fullText: boolean;
  readonly #parts: StoreParts;
  readonly #owner: number | undefined;

  constructor(parts: StoreParts, owner?: number) {
    this.members = parts.reads.members;
    this.fullText = parts.reads.fullText;
    this.#parts = parts;
    this.#owner = owner;
  }

  find(id: number): StoredRecord | undefined {
    return this.#parts.reads.find(id, this.#owner);
  }

  list(selection: Selection = {}, options: ReadOptions = {}): AsyncIterable<readonly StoredRecord[]> {
    return this.#parts.reads.list(selection, this.#owner, options);
  }

  count(selection: Selection = {}, options: ReadOptions = {}): Promise<number> {
    return this.#parts.reads.count(selection, this.#owner, options);
  }

  revision(): number {
    return this.#parts.reads.revision();
  }

  async create(document: Document, { idempotency }: CreationOptions = {}): Promise<Creation> {
    return this.#write({ ...this.#creating(document), idempotency });
  }

  async createAll(
    documents: Iterable<Document> | AsyncIterable<Document>,
    { onlyIfEmpty = false }: BulkOptions = {},
  ): Promise<BulkCreation> {
    const { writer, definition } = this.#parts;
    const toWrite = (document: Document): CreateWrite => this.#creating(document);
    const outcome = await writer.load(definition.name, documents, toWrite, { onlyIfEmpty, owner: this.#owner });
    if (outcome.kind === "not-empty") throw new StoreNotEmpty(`The collection ${definition.name} has records`);
    return outcome;
  }

  async replace(id: number, document: Document, expectedRevision?: number): Promise<Replacement> {
    return this.#write({ kind: "replace", id, expectedRevision, ...this.#content(document) });
  }

  async remove(id: number, expectedRevision?: number): Promise<Removal> {
    return this.#write({ kind: "remove", id, expectedRevision, owner: this.#owner });
  }

  within(owner: number): Store {
    const { name, owner: ownership } = this.#parts.definition;
    if (ownership === undefined) throw new TypeError(`The records of ${name} have no owner`);
    return new SqliteStore(this.#parts, owner);
  }

  #write<W extends Write>(write: W): Promise<OutcomeOf<W>> {
    return this.#parts.writer.write(this.#parts.definition.name, write);
  }

  #creating(document: Document): CreateWrite {
    return { kind: "create", id: givenId(document), ...this.#content(document) };
  }

  #content(document: Document): WrittenContent {
    return writtenContent(this.#parts.definition, document, this.#owner, this.#parts.now().getTime());
  }
}

/** What the stores of a collection have in common. */
interface StoreParts {
  readonly definition: CollectionDefinition;
  readonly reads: SqliteReads;
  readonly writer: SqliteWriter;
  readonly now: () => Date;
}
