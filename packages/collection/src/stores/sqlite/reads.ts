import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import { type SelectableMember, type Selection, storeMembers } from "../../selection.ts";
import type { ReadOptions, StoredRecord } from "../../store.ts";
import { assertSelection } from "../definition.ts";
import { guardedRead } from "./fault.ts";
import { boundedPlan, type SelectionPlan } from "./plan.ts";
import type { SqliteReader } from "./reader.ts";
import { type Batch, type RecordRow, type SqliteQueries, toRecord } from "./selection.ts";

/** What the reads of every collection of a database are made over. */
export interface SqliteConnections {
  readonly database: DatabaseSync;
  /** The reads of many records over the same connection. */
  readonly queries: SqliteQueries;
  /** Where reads are made that may take long. */
  readonly reader: SqliteReader;
  /** Held by many short reads, where there is one. */
  readonly lock: StandingLock | undefined;
}

/** The reads of a collection: here, at once, those that take as long however many records there are, and by the reader the others. */
export class SqliteReads {
  readonly members: readonly SelectableMember[];
  readonly fullText: boolean;
  readonly #collection: string;
  readonly #connections: SqliteConnections;
  readonly #find: StatementSync;
  readonly #findOwned: StatementSync | undefined;
  readonly #revision: StatementSync;

  constructor(connections: SqliteConnections, { name, selectable = [], fullText = [], owner }: CollectionDefinition) {
    const { database } = connections;
    this.members = [...storeMembers, ...selectable];
    this.fullText = fullText.length > 0;
    this.#collection = name;
    this.#connections = connections;
    const find = `SELECT id, revision, updated_at, document FROM "${name}" WHERE id = ?`;
    this.#find = database.prepare(find);
    this.#findOwned = owner && database.prepare(`${find} AND owner = ?`);
    this.#revision = database.prepare("SELECT revision FROM waymark_collections WHERE name = ?");
    for (const read of [this.#find, this.#findOwned, this.#revision]) read?.setReturnArrays(true);
  }

  find(id: number, owner: number | undefined): StoredRecord | undefined {
    if (!Number.isSafeInteger(id)) return undefined; // nobody has it, and SQLite might not be able to say so
    this.#connections.lock?.beforeRead();
    return guardedRead(() => {
      // The statement returns arrays of the four columns, whose types the table enforces.
      const row = (owner === undefined ? this.#find.get(id) : this.#findOwned?.get(id, owner)) as RecordRow | undefined;
      return row && toRecord(row);
    });
  }

  async *list(
    selection: Selection,
    owner: number | undefined,
    options: ReadOptions,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    assertSelection(selection, this.members, this.fullText);
    const { queries, reader } = this.#connections;
    const bounded = boundedPlan(selection);
    let plan: SelectionPlan | undefined = bounded;
    for (let rest: Selection | undefined = selection; rest !== undefined; ) {
      const asked = [this.#collection, rest, owner, plan] as const;
      const batch: Batch =
        bounded === undefined ? await reader.read(options.signal, "batch", ...asked) : queries.batch(...asked);
      if (batch.records.length > 0) yield batch.records;
      ({ rest, plan } = batch);
    }
  }

  async count(selection: Selection, owner: number | undefined, { signal }: ReadOptions): Promise<number> {
    assertSelection(selection, this.members, this.fullText);
    return this.#connections.reader.read(signal, "count", this.#collection, selection, owner);
  }

  revision(): number {
    return guardedRead(() => {
      // The collection's row was made when the database was opened, and is never deleted.
      const [revision] = this.#revision.get(this.#collection) as unknown as [number];
      return revision;
    });
  }
}

/**
 * Makes reads of a file that follow each other in one turn of the event loop cheaper: a transaction of a connection of its own
 * holds the lock that each of them takes and gives back, and connections of one process share their locks without asking the
 * system. Each read still sees every commit that was made before it.
 *
 * The lock is let go at the end of the turn, so that the log can be brought into the file and begun anew.
 */
export class StandingLock {
  readonly #connection: DatabaseSync;
  readonly #read: StatementSync;
  #reads = 0;

  /** @param connection to the file, which nothing else uses; it is closed with the lock */
  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#read = connection.prepare("SELECT name FROM waymark_collections LIMIT 1");
  }

  /** To be called before each read. */
  beforeRead(): void {
    // A read takes 3.1 µs, under the lock 1.4; to take and give back the lock takes 4.2 (Node 26). With 64 busy clients there
    // are some 40 reads in a turn, and with a few clients there are one or two.
    this.#reads += 1;
    if (this.#reads === 1) setImmediate(() => this.#release());
    else if (this.#reads === readsBeforeLock) this.#take();
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #take(): void {
    try {
      this.#connection.exec("BEGIN");
      this.#read.get(); // which takes the lock
    } catch {
      // What is wrong with the file is told by the reads themselves, which do without.
    }
  }

  #release(): void {
    this.#reads = 0;
    try {
      if (this.#connection.isOpen && this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
    } catch {
      // As above: there was nothing to lose.
    }
  }
}

const readsBeforeLock = 4;
