import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { type Database, openSqliteDatabase, type Store, StoreUnavailable } from "../../../src/index.ts";
import { create, everything } from "../../store-contract/contract.ts";

const folder = openFolder("sqlite-sharing");

const open = (file: string, busyTimeout = 1000): Promise<Database> =>
  openSqliteDatabase(file, {
    collections: [{ name: "person", members: { identifier: { unique: true } } }],
    busyTimeout,
  });

describe("two connections to one SQLite file", () => {
  it("see what the other one has stored, and count on together", async () => {
    const file = folder.newFile();
    const databases = [await open(file), await open(file)];
    const [one, other] = databases.map((database) => database.store("person")) as [Store, Store]; // of two, two
    const ada = await create(one, { identifier: "A1" });
    assert.deepEqual(await other.find(1), ada);
    assert.deepEqual(await other.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
    assert.equal(other.revision(), 1);
    const second = await create(other, {});
    const third = await create(one, {});
    assert.deepEqual(
      [second, third].map(({ id, revision }) => [id, revision]),
      [
        [2, 2],
        [3, 3],
      ],
    );
    await Promise.all(databases.map((database) => database.close()));
  });

  it("let one of 50 creates at the same time have a value", async () => {
    const file = folder.newFile();
    const databases = [await open(file), await open(file)];
    const stores = databases.map((database) => database.store("person"));
    const creations = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (stores[i % 2] as Store).create({ identifier: "A1" })),
    );
    assert.equal(creations.filter(({ kind }) => kind === "created").length, 1);
    await Promise.all(databases.map((database) => database.close()));
  });

  it("read on while the other one writes, and refuse to write", async () => {
    const file = folder.newFile();
    const database = await open(file, 1);
    const store = database.store("person");
    const ada = await create(store, { name: "Ada" });
    const writer = new DatabaseSync(file);
    writer.exec("BEGIN IMMEDIATE; DELETE FROM person");
    assert.deepEqual(store.find(1), ada);
    assert.equal((await everything(store)).length, 1);
    await database.check();
    await assert.rejects(store.create({}), StoreUnavailable);
    await assert.rejects(store.createAll([]), StoreUnavailable);
    writer.exec("ROLLBACK");
    writer.close();
    assert.equal((await create(store, {})).id, 2);
    await database.close();
  });
});

describe("a SQLite file that several threads open at once", () => {
  /** Opens the files one after the other in each of some threads, all of them together. */
  const openInThreads = (threads: number, rounds: readonly string[]): readonly Worker[] => {
    const workerData = { arrived: new Int32Array(new SharedArrayBuffer(4)), threads, rounds };
    return Array.from({ length: threads }, () => {
      return new Worker(join(import.meta.dirname, "opening-worker.ts"), { workerData });
    });
  };

  it("is made once if it is missing, and every thread stores its record", async () => {
    const rounds = Array.from({ length: 8 }, () => folder.newFile());
    const workers = openInThreads(3, rounds);
    try {
      await Promise.all(workers.map((worker) => once(worker, "exit")));
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate())); // when one has failed the others wait for it
    }
    for (const file of rounds) {
      const database = await open(file);
      const store = database.store("person");
      assert.equal((await everything(store)).length, 3);
      await database.close();
    }
  });

  it("is waited for while another connection writes to it", async () => {
    const file = folder.newFile();
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const [worker] = openInThreads(1, [file]);
    assert.ok(worker !== undefined);
    const exit = once(worker, "exit");
    await once(worker, "message");
    await (await open(folder.newFile())).close(); // takes longer than the worker needs to come upon the lock
    other.exec("ROLLBACK");
    other.close();
    assert.deepEqual(await exit, [0]);
    const database = await open(file);
    const store = database.store("person");
    assert.equal((await everything(store)).length, 1);
    await database.close();
  });
});
