import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { backupSqliteFile, type Database, openDatabase, StoreHistoryLost } from "../../src/index.ts";
import { create, everything } from "../store-contract/contract.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

const folder = openFolder("lost-history");

const open = (address: string): Promise<Database> => openDatabase(address, { collections: [{ name: "person" }] });

describe("an SQLite file that went back to an older state", () => {
  it("takes no change of a program that saw newer ones, until it is resumed", async () => {
    const file = folder.newFile();
    const database = await open(file);
    const people = database.store("person");
    const ada = await create(people, { name: "Ada" });
    const lost = await create(people, { name: "Grace" });
    const past = new DatabaseSync(file);
    past.exec(
      `DELETE FROM person WHERE id = ${lost.id}; UPDATE waymark_collections SET revision = ${ada.revision}, last_id = ${ada.id}`,
    );
    past.close();
    await assert.rejects(people.create({ name: "Alan" }), StoreHistoryLost);
    await assert.rejects(people.createAll([{ name: "Alan" }]), StoreHistoryLost);
    await assert.rejects(people.remove(ada.id), StoreHistoryLost);
    await assert.rejects(database.check(), { message: /gone back to an older state of person/ });
    assert.deepEqual(await everything(people), [ada]);

    const operator = await open(file);
    await operator.resume();
    await operator.close();
    await database.check();
    const alan = await create(people, { name: "Alan" });
    assert.deepEqual([alan.id, alan.revision], [ada.id + 1_000_001, ada.revision + 1_000_001]);
    assert.deepEqual(await everything(people), [ada, alan]);
    await database.close();
  });

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

  it("takes no change without the log of an SQLite file, and has all that it took when it is opened again", async () => {
    const file = folder.path("without-log.db");
    const database = await open(file);
    const people = database.store("person");
    await create(people, { name: "Ada" });
    for (const beside of ["-wal", "-shm"]) rmSync(file + beside);
    for (const attempt of [() => people.create({}), () => people.createAll([{}]), () => database.check()]) {
      await assert.rejects(attempt, { name: "StoreUnavailable", message: /The log of the database.* was removed/ });
    }
    await database.close();
    const again = await open(file);
    assert.equal((await everything(again.store("person"))).length, 1);
    await create(again.store("person"), { name: "Grace" });
    await again.close();
  });
});

describe("a database that is resumed", () => {
  for (const [what, newAddress] of [
    ["SQLite", async () => folder.newFile()],
    ["PostgreSQL", newPostgresDatabase],
  ] as const) {
    it(`gives no id and no revision twice (${what})`, async () => {
      const database = await open(await newAddress());
      const people = database.store("person");
      const ada = await create(people, {});
      await database.resume();
      const grace = await create(people, {});
      assert.ok(grace.id > ada.id + 1_000_000 && grace.revision > ada.revision + 1_000_000);
      await database.close();
    });
  }
});
