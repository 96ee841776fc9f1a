import type { CollectionDefinition, Database, DatabaseOptions, DatabaseState } from "../database.ts";
import type { LoadOptions, Snapshot } from "../snapshot.ts";
import type { Store } from "../store.ts";
import { type Engine, RecordStore } from "./record-store.ts";
import { type RestoreTarget, restoreSnapshot } from "./restore.ts";

/** What one kind of database does as a whole. */
export interface DatabaseEngine {
  /** Makes the engine of a collection; called once for each when the database is opened. */
  collection(definition: CollectionDefinition): Engine;
  check(): Promise<DatabaseState>;
  snapshot(): Promise<Snapshot>;
  restoreTarget(): Promise<RestoreTarget>;
  close(): Promise<void>;
}

/** The collections of an open database, each behind a store. */
export class RecordDatabase implements Database {
  readonly #engine: DatabaseEngine;
  readonly #collections: readonly CollectionDefinition[];
  readonly #stores: ReadonlyMap<string, Store>;

  constructor(engine: DatabaseEngine, { collections, now = () => new Date() }: DatabaseOptions) {
    this.#engine = engine;
    this.#collections = collections;
    this.#stores = new Map(
      collections.map((each) => [each.name, new RecordStore(engine.collection(each), each, now)] as const),
    );
  }

  store(collection: string): Store {
    const store = this.#stores.get(collection);
    if (store === undefined) throw new RangeError(`The database was opened without ${JSON.stringify(collection)}`);
    return store;
  }

  check(): Promise<DatabaseState> {
    return this.#engine.check();
  }

  snapshot(): Promise<Snapshot> {
    return this.#engine.snapshot();
  }

  async load(snapshot: Snapshot, options?: LoadOptions): Promise<void> {
    await restoreSnapshot(await this.#engine.restoreTarget(), snapshot, this.#collections, options);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}
