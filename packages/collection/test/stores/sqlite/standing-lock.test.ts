import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { type Database, openSqliteDatabase, type Store } from "../../../src/index.ts";
import { create } from "../../store-contract/contract.ts";

const folder = openFolder("sqlite-standing-lock");

/** With a store of one record in a new file, and another connection to the file. */
const withStore =
  (use: (store: Store, other: DatabaseSync, database: Database, file: string) => Promise<void>) =>
  async (): Promise<void> => {
    const file = folder.newFile();
    const database = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
    const other = new DatabaseSync(file);
    try {
      const store = database.store("person");
      await create(store, { name: "Ada" });
      await use(store, other, database, file);
    } finally {
      if (other.isOpen) other.close();
      await database.close();
    }
  };

const readMany = (store: Store): void => {
  for (let n = 0; n < 50; n++) store.find(1);
};

const countOn = (other: DatabaseSync): void => other.exec("UPDATE person SET revision = revision + 1 WHERE id = 1");

/** Whether the log can be brought into the file as a whole and begun again, which a transaction that reads it prevents. */
const isLogFree = (other: DatabaseSync): boolean =>
  other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;

describe("many reads of a SQLite file in one turn of the event loop", () => {
  it(
    "see each what has been committed before it, by whomever",
    withStore(async (store, other) => {
      readMany(store);
      for (let revision = 2; revision < 10; revision++) {
        countOn(other);
        assert.equal((await store.find(1))?.revision, revision);
      }
    }),
  );

  it(
    "hold a lock on the log until the turn is over, and no longer",
    withStore(async (store, other) => {
      countOn(other);
      readMany(store);
      countOn(other);
      assert.equal(isLogFree(other), false);
      await setImmediate();
      assert.equal(isLogFree(other), true);
    }),
  );

  it(
    "do without it when they are few",
    withStore(async (store, other) => {
      store.find(1);
      countOn(other);
      assert.equal(isLogFree(other), true);
    }),
  );

  it(
    "leave nothing behind when the database is closed before the turn is over",
    withStore(async (store, other, database, file) => {
      other.close();
      readMany(store);
      await database.close();
      assert.equal(existsSync(`${file}-wal`), false);
      await setImmediate();
    }),
  );
});
