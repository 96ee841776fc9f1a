import type { CollectionDefinition, Database, DatabaseOptions } from "../database.ts";
import { type Engine, RecordStore } from "./record-store.ts";
import { type RestoreTarget, restoreSnapshot } from "./restore.ts";

/** What one kind of database does as a whole. */
export interface DatabaseEngine extends Pick<Database, "check" | "snapshot" | "close"> {
  /** Makes the engine of a collection; called once for each when the database is opened. */
  collection(definition: CollectionDefinition): Engine;
  restoreTarget(): Promise<RestoreTarget>;
}

/** An open database, each of its collections behind a store. */
export function recordDatabase(
  engine: DatabaseEngine,
  { collections, now = () => new Date() }: DatabaseOptions,
): Database {
  const stores = new Map(collections.map((each) => [each.name, new RecordStore(engine.collection(each), each, now)]));
  return {
    store(collection) {
      const store = stores.get(collection);
      if (store === undefined) throw new RangeError(`The database was opened without ${JSON.stringify(collection)}`);
      return store;
    },
    check: () => engine.check(),
    snapshot: () => engine.snapshot(),
    load: async (snapshot, options) => restoreSnapshot(await engine.restoreTarget(), snapshot, collections, options),
    close: () => engine.close(),
  };
}
