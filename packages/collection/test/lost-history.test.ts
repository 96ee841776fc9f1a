import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
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

  /** Puts the collection back to the first of two people, past the programs. */
  const putBack = (url: string): Promise<unknown> =>
    execute(
      url,
      `DELETE FROM person WHERE id > 1; UPDATE waymark_collections SET revision = 1, last_id = 1;
      DELETE FROM waymark_seals WHERE revision > 1`,
    );

  const readers: readonly (readonly [what: string, look: (database: Database) => Promise<unknown>])[] = [
    ["read the state of its lists", async (database) => database.store("person").state()],
    ["was asked for its health", (database) => database.check()],
  ];
  for (const [what, look] of readers) {
    it(`is known to be so by a program that only ${what}, and then by every program`, async () => {
      const url = await newPostgresDatabase();
      const [reader, writer] = [await open(url), await open(url)];
      await create(writer.store("person"), { name: "Ada" });
      const lost = await create(writer.store("person"), { name: "Grace" });
      await look(reader);
      await writer.close();
      await putBack(url);
      await look(reader).catch(() => undefined);

      const restarted = await open(url);
      for (const database of [reader, restarted]) {
        await assert.rejects(database.check(), StoreHistoryLost);
        await assert.rejects(database.store("person").create({ name: "Alan" }), StoreHistoryLost);
        assert.equal((await everything(database.store("person"))).length, 1);
      }
      await restarted.resume();
      for (const database of [reader, restarted]) {
        assert.deepEqual(await database.check(), { readOnly: false });
        assert.ok((await create(database.store("person"), {})).id > lost.id);
        await database.close();
      }
    });
  }

  it("is known to be so where other programs have changed it since, beyond what was lost", async () => {
    const url = await newPostgresDatabase();
    const knowing = await open(url);
    const people = knowing.store("person");
    await create(people, { name: "Ada" });
    await create(people, { name: "Grace" });
    const state = await people.state();
    await putBack(url);
    const unknowing = await open(url);
    for (const name of ["Alan", "Edsger", "Barbara"]) await create(unknowing.store("person"), { name });
    await assert.rejects(knowing.check(), StoreHistoryLost);
    for (const database of [knowing, unknowing]) {
      await assert.rejects(database.store("person").create({}), StoreHistoryLost);
      assert.notEqual(await database.store("person").state(), state);
      await assert.rejects(database.check(), StoreHistoryLost);
    }
    await Promise.all([knowing.close(), unknowing.close()]);
  });

  it("has no state twice while it is so, whatever is in it", async () => {
    const url = await newPostgresDatabase();
    const [knowing, other] = [await open(url), await open(url)];
    const people = knowing.store("person");
    await create(people, { name: "Ada" });
    const state = await people.state();
    await create(people, { name: "Grace" });
    await putBack(url);
    for (const database of [knowing, other]) {
      const states = [await database.store("person").state(), await database.store("person").state(), state];
      assert.equal(new Set(states).size, states.length);
      await database.close();
    }
  });

  it("stays usable by programs whose connections take turns in changing it", async () => {
    const url = await newPostgresDatabase();
    const programs = [await open(url), await open(url), await open(url)];
    const stores = programs.map((program) => program.store("person"));
    for (let round = 0; round < 8; round++) {
      await Promise.all(stores.flatMap((people) => [people.create({}), people.createAll([{}, {}]), people.state()]));
      for (const program of programs) await program.check();
    }
    assert.equal(await stores[0]?.revision(), 3 * 3 * 8);
    await Promise.all(programs.map((program) => program.close()));
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
