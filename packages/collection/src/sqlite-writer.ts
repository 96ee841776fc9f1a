import type { DatabaseSync } from "node:sqlite";
import type { CollectionDefinition } from "./database.ts";
import { toStoreFault } from "./sqlite-fault.ts";
import { type OutcomeOf, SqliteWrites, type Write } from "./sqlite-writes.ts";
import { StoreNotEmpty } from "./store.ts";

/** Runs the transactions that write to a database file. */
export interface SqliteWriter {
  /**
   * Makes a change to the collection; once the promise resolves it survives a crash.
   *
   * @throws StoreUnavailable (rejects) when the database cannot be written to; then nothing was changed
   */
  write<W extends Write>(collection: string, write: W): Promise<OutcomeOf<W>>;
  /**
   * Stores all records or none in a collection that has none, and says how many; once the promise resolves they survive a
   * crash.
   *
   * @throws StoreNotEmpty when it has one; Error naming the record that has the id or a unique value of one before it
   */
  load(collection: string, writes: Iterable<Extract<Write, { readonly kind: "create" }>>): Promise<number>;
}

/** Writes over the connection that is given, one transaction a change, on the thread that asks for it. */
export function directWriter(database: DatabaseSync, collections: readonly CollectionDefinition[]): SqliteWriter {
  const writesOf = new Map(
    collections.map((definition) => [definition.name, new SqliteWrites(database, definition)] as const),
  );
  // A store asks for its own collection alone.
  const writesTo = (collection: string): SqliteWrites => writesOf.get(collection) as SqliteWrites;
  return {
    write: async (collection, write) => inTransaction(database, () => writesTo(collection).apply(write)),
    load: async (collection, writes) => inTransaction(database, () => load(writesTo(collection), collection, writes)),
  };
}

function load(
  records: SqliteWrites,
  collection: string,
  writes: Iterable<Extract<Write, { readonly kind: "create" }>>,
): number {
  if (!records.isEmpty()) throw new StoreNotEmpty(`The collection ${collection} has records`);
  let count = 0;
  for (const write of writes) {
    const creation = records.apply(write);
    count++;
    if (creation.kind === "created") continue;
    const { member } = creation;
    const isOfRemoved = member === "id" && write.id !== undefined && records.wasRemoved(write.id);
    throw new Error(
      `Document ${count} has the ${member} of ${isOfRemoved ? "a record that was removed" : "one before it"}`,
    );
  }
  return count;
}

/** What the work throws, and a commit that fails, undoes it all. */
function inTransaction<T>(database: DatabaseSync, work: () => T): T {
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
