import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoreUnavailable } from "../../src/index.ts";
import { everything, type WithStore } from "./given.ts";

export function describeDatabase(name: string, withStore: WithStore): void {
  describe(`${name}: database`, () => {
    it(
      "resolves a check while it is open",
      withStore(async (_store, database) => {
        await database.check();
      }),
    );

    it(
      "has no store of a collection that it was opened without",
      withStore(async (_store, database) => {
        assert.throws(() => database.store("order"), RangeError);
      }),
    );

    it(
      "is unavailable once it is closed",
      withStore(async (store, database) => {
        await database.close();
        await assert.rejects(async () => store.find(1), StoreUnavailable);
        await assert.rejects(everything(store), StoreUnavailable);
        await assert.rejects(store.create({}), StoreUnavailable);
        await assert.rejects(store.createAll([]), StoreUnavailable);
        await assert.rejects(store.replace(1, {}), StoreUnavailable);
        await assert.rejects(store.remove(1), StoreUnavailable);
        await assert.rejects(async () => store.revision(), StoreUnavailable);
        await assert.rejects(database.check(), StoreUnavailable);
      }),
    );

    it(
      "closes once, however often it is closed",
      withStore(async (_store, database) => {
        await database.close();
        await database.close();
      }),
    );

    it(
      "closes at the end of its scope",
      withStore(async (store, database) => {
        {
          await using _ = database;
          await store.create({});
        }
        await assert.rejects(async () => store.find(1), StoreUnavailable);
      }),
    );
  });
}
