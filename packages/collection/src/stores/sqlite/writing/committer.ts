import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import { StoreUnavailable } from "../../contract/errors.ts";
import type { SnapshotKey } from "../../contract/snapshot.ts";
import type { ReadAgain } from "../../reading/found-list.ts";
import type { BulkConditions, BulkEnd } from "../../writing/bulk-source.ts";
import type { StoredRow } from "../../writing/decide.ts";
import type { OutcomeOf, RemoveWrite, Write } from "../../writing/write.ts";
import { toStoreFault } from "../connections/fault.ts";
import { prepareChange } from "../connections/statements.ts";
import { begin, commit, inTransaction, orRollBack, rollBack } from "../connections/transaction.ts";
import { type FoundState, SqliteQueries } from "../reading/queries.ts";
import { type BulkOutcome, bulkCreation, type SqliteBulkCreation } from "./bulk-creation.ts";
import { type SqliteChanges, sqliteChanges } from "./changes.ts";
import { SqliteCounters } from "./counters.ts";
import { type OwnedRecords, stepOfRemoval } from "./owned-records.ts";
import { probe } from "./probe.ts";

/** A change, and the collection that it is made to. */
export interface AddressedWrite<W extends Write = Write> {
  readonly collection: string;
  readonly write: W;
}

/** The outcome of a change within its batch. */
export type WriteOutcome = OutcomeOf<Write> | { readonly kind: "failed"; readonly error: unknown };

/** Makes all writes to a file over one connection, one transaction at a time. Every method may throw as `inTransaction` does. */
export class SqliteCommitter {
  readonly #database: DatabaseSync;
  readonly #busyTimeout: number;
  readonly #writes: ReadonlyMap<string, SqliteChanges>;
  readonly #mark: StatementSync;
  readonly #undo: StatementSync;
  readonly #keep: StatementSync;
  readonly #counters: SqliteCounters;
  /** The reads of transactions; undefined before the first of them. */
  #queries: SqliteQueries | undefined;
  readonly #collections: readonly StoredCollection[];
  #bulk: SqliteBulkCreation | undefined;
  #hasRemovals = false;

  /**
   * @param busyTimeout how long each transaction waits for one of another connection, in milliseconds
   * @param path the path of the file; undefined for a database in memory
   */
  constructor(database: DatabaseSync, collections: readonly StoredCollection[], busyTimeout: number, path?: string) {
    const counters = new SqliteCounters(database, path);
    this.#counters = counters;
    this.#collections = collections;
    this.#database = database;
    this.#busyTimeout = busyTimeout;
    this.#writes = new Map(
      collections.map((definition) => [definition.name, sqliteChanges(database, definition, counters)]),
    );
    this.#mark = prepareChange(database, "SAVEPOINT one");
    this.#undo = prepareChange(database, "ROLLBACK TO one");
    this.#keep = prepareChange(database, "RELEASE one");
  }

  /**
   * Makes the changes in their order in one commit, which takes about as long as for a single change, and returns the outcome of
   * each. A change that fails does not affect the others.
   */
  commit(batch: readonly AddressedWrite[]): readonly WriteOutcome[] {
    this.#hasRemovals ||= batch.some(({ write }) => write.kind === "replace" || write.kind === "remove");
    const hasRemovals = batch.some(({ write }) => write.kind === "remove");
    try {
      return this.#inTransaction(hasRemovals, () =>
        batch.map(({ collection, write }) => this.#writesTo(collection).apply(write)),
      );
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      // A change has failed. A savepoint for each change costs twice as much as the write (110 against 38 µs), so savepoints are
      // set only now.
      return this.#inTransaction(hasRemovals, () => batch.map((write) => this.#applyAlone(write)));
    }
  }

  /** Removes some of the records that are to be removed with another one; returns how many. */
  removeSome({ collection, write }: AddressedWrite<RemoveWrite>, owned: OwnedRecords): number {
    this.#hasRemovals = true;
    return this.#inTransaction(true, () => {
      if (!this.#writesTo(collection).isRemovable(write)) return 0;
      this.#counters.store();
      const removal = prepareChange(this.#database, `DELETE FROM "${owned.collection}" WHERE id IN (${owned.ids})`);
      const { changes } = removal.run(write.id, stepOfRemoval); // a trigger counts them
      this.#counters.reread();
      return Number(changes);
    });
  }

  /** Returns whether changes since the last call may have removed or replaced records. */
  takeRemovals(): boolean {
    const hadRemovals = this.#hasRemovals;
    this.#hasRemovals = false;
    return hadRemovals;
  }

  /** Makes a change that needs room in the log and a commit, and leaves all data unchanged. */
  probe(): void {
    probe(this.#database, this.#busyTimeout, () => {
      this.#counters.begin();
      for (const changes of this.#writes.values()) changes.assertDeclared();
    });
  }

  /** Begins to store many records, all or none. */
  beginBulk(collection: string, conditions: BulkConditions): void {
    const writes = this.#writesTo(collection);
    this.#bulk = bulkCreation(this.#database, this.#busyTimeout, this.#counters, writes, conditions);
  }

  /** Stores the next records; returns whether more are wanted. */
  addToBulk(batch: readonly Write[]): boolean {
    this.#hasRemovals ||= batch.some(({ kind }) => kind === "replace" || kind === "remove");
    return this.#currentBulk().add(batch);
  }

  endBulk(end: BulkEnd): BulkOutcome {
    const bulk = this.#currentBulk();
    this.#bulk = undefined;
    return bulk.end(end);
  }

  /** Stores none of the records; does nothing when no load has begun. */
  abandonBulk(): void {
    this.#bulk?.abandon();
    this.#bulk = undefined;
  }

  /** Begins a transaction of as many calls as its work makes. */
  beginTransaction(): void {
    begin(this.#database, this.#busyTimeout);
    this.#within(() => {
      this.#counters.begin();
      for (const writes of this.#writes.values()) writes.begin();
    });
  }

  /** Makes a change in the transaction, which an error undoes as a whole. */
  changeWithin({ collection, write }: AddressedWrite): OutcomeOf<Write> {
    this.#hasRemovals ||= write.kind !== "create";
    return this.#within(() => {
      const outcome = this.#writesTo(collection).apply(write);
      for (const writes of this.#writes.values()) writes.finish(write.kind === "remove");
      return outcome;
    });
  }

  /** Keeps a key with the changes of the transaction. */
  keepWithin(collection: string, keyed: SnapshotKey): void {
    this.#within(() => {
      const writes = this.#writesTo(collection);
      writes.keep(keyed);
      writes.finish(false);
    });
  }

  /** Reads in the transaction, with what it has changed. */
  rowWithin(collection: string, id: number): StoredRow | undefined {
    return this.#within(() => this.#writesTo(collection).row(id));
  }

  keyedWithin(collection: string, owner: number, key: string): SnapshotKey | undefined {
    return this.#within(() => this.#writesTo(collection).keyed(owner, key));
  }

  findWithin(...asked: Parameters<SqliteQueries["find"]>): FoundState {
    return this.#reading((queries) => queries.find(...asked));
  }

  readWithin(...asked: Parameters<SqliteQueries["readFound"]>): ReadAgain {
    return this.#reading((queries) => queries.readFound(...asked));
  }

  countWithin(...asked: Parameters<SqliteQueries["count"]>): number {
    return this.#reading((queries) => queries.count(...asked));
  }

  commitTransaction(): void {
    this.#within(() => this.#counters.store());
    commit(this.#database);
    this.#counters.keep();
  }

  /** Undoes the transaction; does nothing where it was undone already. */
  abandonTransaction(): void {
    rollBack(this.#database);
  }

  #within<T>(work: () => T): T {
    if (!this.#database.isTransaction) throw lost("transaction");
    return orRollBack(this.#database, work);
  }

  #reading<T>(read: (queries: SqliteQueries) => T): T {
    return this.#within(() => {
      this.#counters.store();
      this.#queries ??= new SqliteQueries(this.#database, this.#collections);
      return read(this.#queries);
    });
  }

  #inTransaction<T>(hasRemovals: boolean, work: () => T): T {
    const collections = [...this.#writes.values()];
    const result = inTransaction(this.#database, this.#busyTimeout, () => {
      this.#counters.begin();
      for (const writes of collections) writes.begin();
      const made = work();
      for (const writes of collections) writes.finish(hasRemovals);
      this.#counters.store();
      return made;
    });
    this.#counters.keep();
    return result;
  }

  #applyAlone({ collection, write }: AddressedWrite): WriteOutcome {
    this.#counters.store();
    this.#mark.run();
    try {
      return this.#writesTo(collection).apply(write);
    } catch (error) {
      const fault = toStoreFault(error);
      // When the database cannot be written to, the other changes would fail as well.
      if (fault instanceof StoreUnavailable || !(fault instanceof Error) || !this.#database.isTransaction) throw fault;
      this.#undo.run();
      this.#counters.reread();
      return { kind: "failed", error: fault };
    } finally {
      if (this.#database.isTransaction) this.#keep.run();
    }
  }

  #writesTo(collection: string): SqliteChanges {
    return this.#writes.get(collection) as SqliteChanges; // a store asks for a collection of its database
  }

  #currentBulk(): SqliteBulkCreation {
    if (this.#bulk !== undefined) return this.#bulk;
    throw lost("load");
  }
}

const lost = (what: string): StoreUnavailable =>
  new StoreUnavailable(`The ${what} is lost, since the thread that writes had to be started again`);
