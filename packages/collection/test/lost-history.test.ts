import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { openFolder } from "../../waymark/test/folder.ts";
import { backupSqliteFile, type Database, openDatabase, StoreHistoryLost } from "../src/index.ts";
import { execute, newPostgresDatabase } from "./postgres-server.ts";
import { create, everything } from "./store-contract.ts";

const folder = openFolder("lost-history");

const open = (address: string): Promise<Database> => openDatabase(address, { collections: [{ name: "person" }] });

/** Ways to keep a database, and to change it past the program. */
const databases = [
  {
    what: "an SQLite file",
    newAddress: async () => folder.newFile(),
    async run(file: string, statements: string) {
      const database = new DatabaseSync(file);
      database.exec(statements);
      database.close();
    },
  },
  { what: "PostgreSQL", newAddress: newPostgresDatabase, run: execute },
] as const;

describe("a database that went back to an older state", () => {
  for (const { what, newAddress, run } of databases) {
    it(`takes no change of a program that saw newer ones, until it is resumed (${what})`, async () => {
      const url = await newAddress();
      const database = await open(url);
      const people = database.store("person");
      const ada = await create(people, { name: "Ada" });
      const lost = await create(people, { name: "Grace" });
      await run(
        url,
        `DELETE FROM person WHERE id = ${lost.id}; UPDATE waymark_collections SET revision = ${ada.revision}, last_id = ${ada.id}`,
      );
      await assert.rejects(people.create({ name: "Alan" }), StoreHistoryLost);
      await assert.rejects(people.createAll([{ name: "Alan" }]), StoreHistoryLost);
      await assert.rejects(people.remove(ada.id), StoreHistoryLost);
      await assert.rejects(database.check(), { message: /gone back to an older state of person/ });
      assert.deepEqual(await everything(people), [ada]);

      const operator = await open(url);
      await operator.resume();
      await operator.close();
      await database.check();
      const alan = await create(people, { name: "Alan" });
      assert.deepEqual([alan.id, alan.revision], [ada.id + 1_000_001, ada.revision + 1_000_001]);
      assert.deepEqual(await everything(people), [ada, alan]);
      await database.close();
    });
  }

  it("takes no change when another file has taken the place of an SQLite file", async () => {
    const [file, backup] = [folder.path("replaced.db"), folder.path("backup.db")];
    const database = await open(file);
    const people = database.store("person");
    await create(people, { name: "Ada" });
    await backupSqliteFile(file, backup);
    await create(people, { name: "Grace" });
    renameSync(backup, file);
    for (const attempt of [() => people.create({}), () => people.createAll([{}]), () => database.check()]) {
      await assert.rejects(attempt, { name: "StoreUnavailable", message: /Another file has taken the place/ });
    }
    assert.equal((await everything(people)).length, 2);
    await database.close();
  });

  for (const { what, newAddress } of databases) {
    it(`gives no id and no revision twice once it is resumed (${what})`, async () => {
      const database = await open(await newAddress());
      const people = database.store("person");
      const ada = await create(people, {});
      await database.resume();
      const grace = await create(people, {});
      assert.deepEqual([grace.id, grace.revision], [ada.id + 1_000_001, ada.revision + 1_000_001]);
      assert.equal(await people.revision(), grace.revision);
      await database.close();
    });
  }
});
