import type { CollectionDefinition } from "../../database.ts";
import { type SelectableMember, type Selection, storeMembers } from "../../selection.ts";
import type {
  BulkCreation,
  BulkOptions,
  Creation,
  CreationOptions,
  Document,
  ReadOptions,
  Removal,
  Replacement,
  Store,
  StoredRecord,
} from "../../store.ts";
import { assertSelection } from "../definition.ts";
import { type CreateWrite, givenId, type WrittenContent, writtenContent } from "../write.ts";
import type { PostgresChanges } from "./changes.ts";
import type { Columns } from "./dialect.ts";
import { toStoreFault } from "./fault.ts";
import type { PostgresFinds } from "./finds.ts";
import { loadRecords } from "./load.ts";
import type { PostgresPools } from "./pool.ts";
import { PostgresSelection } from "./selection.ts";
import { quoteName } from "./sql.ts";
import type { PostgresWriter } from "./writer.ts";

/** What the stores of a collection have in common. */
export interface PostgresStoreParts {
  readonly definition: CollectionDefinition;
  readonly columns: Columns;
  readonly pools: PostgresPools;
  readonly finds: PostgresFinds;
  readonly changes: PostgresChanges;
  readonly writer: PostgresWriter;
  readonly now: () => Date;
}

/** The records of one collection in a PostgreSQL database, or of one owner in it. */
export class PostgresStore implements Store {
  readonly members: readonly SelectableMember[];
  readonly fullText: boolean;
  readonly #parts: PostgresStoreParts;
  readonly #owner: number | undefined;

  constructor(parts: PostgresStoreParts, owner?: number) {
    const { selectable = [], fullText = [] } = parts.definition;
    this.members = [...storeMembers, ...selectable];
    this.fullText = fullText.length > 0;
    this.#parts = parts;
    this.#owner = owner;
  }

  async find(id: number): Promise<StoredRecord | undefined> {
    if (!Number.isSafeInteger(id)) return undefined; // nobody has it
    const found = await this.#parts.finds.find(id);
    return this.#owner === undefined || found?.owner === this.#owner ? found?.record : undefined;
  }

  async *list(
    selection: Selection = {},
    options: ReadOptions = {},
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    yield* this.#select(selection).batches(this.#parts.pools.lists, selection, options);
  }

  async count(selection: Selection = {}, options: ReadOptions = {}): Promise<number> {
    return this.#select(selection).count(this.#parts.pools.lists, options);
  }

  async revision(): Promise<number> {
    const [counters] = await this.#parts.pools.records.read<readonly [revision: string]>({
      name: "waymark revision",
      text: "SELECT revision FROM waymark_collections WHERE name = $1",
      values: [this.#parts.definition.name],
    });
    return Number(counters?.[0]);
  }

  async create(document: Document, { idempotency }: CreationOptions = {}): Promise<Creation> {
    return this.#parts.writer.write({ ...this.#creating(document), idempotency });
  }

  async createAll(
    documents: Iterable<Document> | AsyncIterable<Document>,
    { onlyIfEmpty = false }: BulkOptions = {},
  ): Promise<BulkCreation> {
    const { pools, changes } = this.#parts;
    const toWrite = (document: Document): CreateWrite => this.#creating(document);
    try {
      return await loadRecords(pools.changes, changes, { documents, toWrite, onlyIfEmpty, owner: this.#owner });
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  async replace(id: number, document: Document, expectedRevision?: number): Promise<Replacement> {
    return this.#parts.writer.write({ kind: "replace", id, expectedRevision, ...this.#content(document) });
  }

  async remove(id: number, expectedRevision?: number): Promise<Removal> {
    return this.#parts.writer.write({ kind: "remove", id, expectedRevision, owner: this.#owner });
  }

  within(owner: number): Store {
    const { name, owner: ownership } = this.#parts.definition;
    if (ownership === undefined) throw new TypeError(`The records of ${name} have no owner`);
    return new PostgresStore(this.#parts, owner);
  }

  /** Makes the changes that wait, and takes no more. */
  close(): Promise<void> {
    return this.#parts.writer.close();
  }

  #select(selection: Selection): PostgresSelection {
    const { definition, columns } = this.#parts;
    assertSelection(selection, this.members, this.fullText);
    return new PostgresSelection(quoteName(definition.name), columns, selection, this.#owner);
  }

  #creating(document: Document): CreateWrite {
    return { kind: "create", id: givenId(document), ...this.#content(document) };
  }

  #content(document: Document): WrittenContent {
    return writtenContent(this.#parts.definition, document, this.#owner, this.#parts.now().getTime());
  }
}
