import type { CollectionDefinition } from "./database.ts";
import { PostgresChanges } from "./postgres-changes.ts";
import { toStoreFault } from "./postgres-fault.ts";
import { PostgresFinds } from "./postgres-finds.ts";
import { loadRecords } from "./postgres-load.ts";
import { quoteName } from "./postgres-names.ts";
import type { PostgresPools } from "./postgres-pools.ts";
import { type RecordRow, recordColumns, toRecord } from "./postgres-records.ts";
import { PostgresWriter } from "./postgres-writer.ts";
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
  readonly #pools: PostgresPools;
  readonly #collection: string;
  readonly #now: () => Date;
  readonly #finds: PostgresFinds;
  readonly #changes: PostgresChanges;
  readonly #writer: PostgresWriter;

  constructor(pools: PostgresPools, { name, unique = [] }: CollectionDefinition, now: () => Date) {
    this.#pools = pools;
    this.#collection = name;
    this.#now = now;
    this.#finds = new PostgresFinds(pools.records, quoteName(name));
    this.#changes = new PostgresChanges(name, unique);
    this.#writer = new PostgresWriter(pools.changes, this.#changes);
  }

  async find(id: number): Promise<StoredRecord | undefined> {
    return Number.isSafeInteger(id) ? this.#finds.find(id) : undefined; // else nobody has it
  }

  async *list(): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    for (let after = 0; ; ) {
      const batch = await this.#batchAfter(after);
      const last = batch.at(-1);
      if (last === undefined) return;
      yield batch;
      after = last.id;
    }
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

  async #batchAfter(id: number): Promise<readonly StoredRecord[]> {
    const table = quoteName(this.#collection);
    const rows = await this.#pools.lists.read<RecordRow>({
      name: `waymark page of ${table}`,
      text: `SELECT ${recordColumns} FROM (
          SELECT *, sum(size) OVER (ORDER BY id) - size AS before FROM ${table} WHERE id > $1 ORDER BY id LIMIT 1000
        ) AS page WHERE before < 65536 ORDER BY id`,
      values: [id],
    });
    return rows.map(toRecord);
  }

  #creating(document: Document): CreateWrite {
    const time = this.#now().getTime();
    return { kind: "create", id: givenId(document), members: toMembersJson(document), time };
  }
}
