import { assertSelection } from "./assert-selection.ts";
import type { CollectionDefinition } from "./database.ts";
import { PostgresChanges } from "./postgres-changes.ts";
import { type PostgresColumn, selectableColumns } from "./postgres-columns.ts";
import { toStoreFault } from "./postgres-fault.ts";
import { PostgresFinds } from "./postgres-finds.ts";
import { loadRecords } from "./postgres-load.ts";
import { quoteName } from "./postgres-names.ts";
import type { PostgresPools } from "./postgres-pools.ts";
import { PostgresSelection } from "./postgres-selection.ts";
import { PostgresWriter } from "./postgres-writer.ts";
import { type SelectableMember, type Selection, storeMembers } from "./selection.ts";
import type { CreateWrite } from "./sqlite-writes.ts";
import type {
  BulkCreation,
  BulkOptions,
  Creation,
  Document,
  Removal,
  Replacement,
  Store,
  StoredRecord,
} from "./store.ts";
import { givenId, toMembersJson } from "./stored-json.ts";

/** The records of one collection in a PostgreSQL database. */
export class PostgresStore implements Store {
  readonly members: readonly SelectableMember[];
  readonly fullText: boolean;
  readonly #columns: ReadonlyMap<string, PostgresColumn>;
  readonly #pools: PostgresPools;
  readonly #collection: string;
  readonly #now: () => Date;
  readonly #finds: PostgresFinds;
  readonly #changes: PostgresChanges;
  readonly #writer: PostgresWriter;

  constructor(pools: PostgresPools, definition: CollectionDefinition, now: () => Date) {
    const { name, selectable = [], fullText = [] } = definition;
    this.members = [...storeMembers, ...selectable];
    this.fullText = fullText.length > 0;
    this.#columns = selectableColumns(definition);
    this.#pools = pools;
    this.#collection = name;
    this.#now = now;
    this.#finds = new PostgresFinds(pools.records, quoteName(name));
    this.#changes = new PostgresChanges(definition);
    this.#writer = new PostgresWriter(pools.changes, this.#changes);
  }

  async find(id: number): Promise<StoredRecord | undefined> {
    return Number.isSafeInteger(id) ? this.#finds.find(id) : undefined; // else nobody has it
  }

  async *list(selection: Selection = {}): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    assertSelection(selection, this.members, this.fullText);
    yield* this.#select(selection).batches(this.#pools.lists, selection);
  }

  async count(selection: Selection = {}): Promise<number> {
    assertSelection(selection, this.members, this.fullText);
    return this.#select(selection).count(this.#pools.lists);
  }

  within(): Store {
    throw new TypeError(`The collection ${JSON.stringify(this.#collection)} has no owner`);
  }

  async create(document: Document): Promise<Creation> {
    return this.#writer.write(this.#creating(document));
  }

  async createAll(
    documents: Iterable<Document> | AsyncIterable<Document>,
    { onlyIfEmpty = false }: BulkOptions = {},
  ): Promise<BulkCreation> {
    const toWrite = (document: Document): CreateWrite => this.#creating(document);
    try {
      return await loadRecords(this.#pools.changes, this.#changes, { documents, toWrite, onlyIfEmpty });
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  async replace(id: number, document: Document, expectedRevision?: number): Promise<Replacement> {
    const time = this.#now().getTime();
    const write = { kind: "replace", id, members: toMembersJson(document), time, expectedRevision } as const;
    return this.#writer.write(write);
  }

  async remove(id: number, expectedRevision?: number): Promise<Removal> {
    return this.#writer.write({ kind: "remove", id, expectedRevision });
  }

  async revision(): Promise<number> {
    const [counters] = await this.#pools.records.read<readonly [revision: string]>({
      name: "waymark revision",
      text: "SELECT revision FROM waymark_collections WHERE name = $1",
      values: [this.#collection],
    });
    return Number(counters?.[0]);
  }

  /** Makes the changes that wait, and takes no more. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #select(selection: Selection): PostgresSelection {
    return new PostgresSelection(quoteName(this.#collection), this.#columns, selection);
  }

  #creating(document: Document): CreateWrite {
    const time = this.#now().getTime();
    return { kind: "create", id: givenId(document), members: toMembersJson(document), time };
  }
}
