import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import {
  backupSqliteFile,
  type CollectionDefinition,
  type Database,
  openSnapshot,
  openSqliteDatabase,
  type Snapshot,
  StoreOpenError,
  StoreUnavailable,
} from "../../../src/index.ts";
import { openSqliteFile } from "../../../src/stores/sqlite/connections/file.ts";
import { type Layouts, presentLayouts } from "../../../src/stores/sqlite/connections/migrations.ts";
import { assertFilled, optionsOf } from "../../layouts/content.ts";
import { assertLanded, layoutFile } from "../../layouts/landed.ts";
import { create, everything, replace } from "../../store-contract/contract.ts";

const folder = openFolder("sqlite-layout");

const person: CollectionDefinition = {
  name: "person",
  members: {
    identifier: { unique: true },
    name: { filter: "text" },
  },
};

const open = (file: string, definition: CollectionDefinition = person): Promise<Database> =>
  openSqliteDatabase(file, { collections: [definition] });

/** The values of the first row. */
function read(file: string, query: string): readonly unknown[] {
  const database = new DatabaseSync(file);
  try {
    return Object.values(database.prepare(query).get() ?? {});
  } finally {
    database.close();
  }
}

/** The number of the present layout. */
const present = presentLayouts.length;

const layoutOf = (file: string): unknown => read(file, "PRAGMA user_version")[0];

describe("the layouts of SQLite files", () => {
  it("are those that landed, and there is a file of each", () => {
    assertLanded(presentLayouts, ["a771253c7e89a5cd"], (layout) => layoutFile(`sqlite-${layout}.db`));
  });

  const numbers = Array.from({ length: present }, (_, before) => before + 1);

  for (const layout of numbers) {
    const copyOfFile = (): string => {
      const file = folder.newFile();
      copyFileSync(layoutFile(`sqlite-${layout}.db`), file);
      return file;
    };

    it(`are brought to the present one from ${layout}, with records, words, used ids, keys, revisions and entity tags`, async () => {
      const file = copyOfFile();
      const before = rowsOf(file);
      const database = await openSqliteDatabase(file, optionsOf(30));
      assert.equal(layoutOf(file), present);
      assert.deepEqual(rowsOf(file), before);
      await assertFilled(database);
      await database.close();
    });

    it(`have the same tables when they come from ${layout} as in a new file`, async () => {
      const [file, fresh] = [copyOfFile(), folder.newFile()];
      for (const path of [file, fresh]) await (await openSqliteDatabase(path, optionsOf(30))).close();
      assert.deepEqual(tablesOf(file), tablesOf(fresh));
    });

    it(`can be read by a snapshot from ${layout} without a change of the file`, async () => {
      const [file, target] = [copyOfFile(), folder.newFile()];
      const bytes = readFileSync(file);
      const database = await openSqliteDatabase(target, optionsOf(30));
      const tablesBefore = tablesOf(target);
      const snapshot = await openSnapshot(file, { verify: true });
      await database.restore(snapshot);
      await snapshot.close();
      assert.deepEqual(rowsOf(target), rowsOf(file));
      assert.deepEqual(tablesOf(target), tablesBefore);
      await assertFilled(database);
      await database.close();
      assert.deepEqual(readFileSync(file), bytes);
    });
  }

  it("are written by a backup as they are", async () => {
    const [file, backup] = [folder.newFile(), folder.newFile()];
    copyFileSync(layoutFile("sqlite-1.db"), file);
    await backupSqliteFile(file, backup);
    assert.equal(layoutOf(backup), 1);
    assert.deepEqual(rowsOf(backup), rowsOf(file));
  });

  it("are refused with the way out where they are from before layout 1, and stay as they are", async () => {
    const file = folder.newFile();
    const former = new DatabaseSync(file);
    former.exec(`PRAGMA application_id = ${0x77_6d_72_6b}; PRAGMA user_version = 4;
      CREATE TABLE waymark_collections (name TEXT PRIMARY KEY); CREATE TABLE waymark_removals (id INTEGER)`);
    former.close();
    const before = readFileSync(file);
    const openings = [() => open(file), () => openSnapshot(file), () => backupSqliteFile(file, folder.newFile())];
    for (const opening of openings) {
      await assert.rejects(opening, (error) => {
        assert.ok(error instanceof StoreOpenError);
        assert.match(
          error.message,
          /a version from before the first release wrote it; export its records with that version, and import them into a new file/,
        );
        return true;
      });
    }
    assert.deepEqual(readFileSync(file), before);
  });
});

/** What clients see of the records, and the counters. */
function rowsOf(file: string): readonly unknown[] {
  const queries = [
    "SELECT id, revision, created_at, updated_at, document FROM person ORDER BY id",
    "SELECT id, revision, owner, document FROM book ORDER BY id",
    "SELECT name, revision, last_id FROM waymark_collections ORDER BY name",
    "SELECT collection, id FROM waymark_removals ORDER BY collection, id",
    "SELECT collection, owner, key, fingerprint, id, revision, time FROM waymark_keys ORDER BY key",
  ];
  return all(file, queries);
}

/** The statements of all tables, indexes and triggers, without the order of the columns that are filled. */
function tablesOf(file: string): readonly unknown[] {
  const columns = `SELECT tables.name, columns.name, columns.type, "notnull", pk, hidden
    FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns ORDER BY tables.name, columns.name`;
  const others =
    "SELECT name, sql FROM sqlite_schema WHERE type <> 'table' OR name LIKE 'waymark\\_%' ESCAPE '\\' ORDER BY name";
  return all(file, [columns, others]);
}

function all(file: string, queries: readonly string[]): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return queries.map((query) => database.prepare(query).all());
  } finally {
    database.close();
  }
}

describe("a SQLite file of an older layout", () => {
  /** A layout that no version has, after the present one. */
  const laterLayouts: Layouts = [
    ...presentLayouts,
    `ALTER TABLE waymark_collections ADD COLUMN title TEXT;
    UPDATE waymark_collections SET title = 'Title of ' || name, revision = revision + 100`,
  ];
  const migrate = (file: string, layouts: Layouts): void =>
    openSqliteFile(file, { busyTimeout: 1000, prepare: () => undefined, layouts }).close();

  it("is brought to the next one with all that it has, and is then refused by the program before", async () => {
    const file = folder.newFile();
    const database = await open(file);
    const ada = await create(database.store("person"), { name: "Ada" });
    migrate(file, laterLayouts);
    migrate(file, laterLayouts);
    assert.equal(layoutOf(file), present + 1);
    assert.deepEqual(read(file, "SELECT title, revision FROM waymark_collections"), ["Title of person", 101]);
    assert.deepEqual(await everything(database.store("person")), [ada]);
    await database.close();
    const newer = `a newer version of this program wrote it (layout ${present + 1}, and this one knows ${present})`;
    await assert.rejects(open(file), (error) => error instanceof Error && error.message.includes(newer));
  });

  it("is brought there once by threads that open it at once", async () => {
    const rounds = Array.from({ length: 10 }, () => folder.newFile());
    for (const file of rounds) await (await open(file)).close();
    const workerData = { arrived: new Int32Array(new SharedArrayBuffer(4)), threads: 3, rounds, layouts: laterLayouts };
    const workers = Array.from({ length: 3 }, () => {
      return new Worker(join(import.meta.dirname, "opening-worker.ts"), { workerData });
    });
    try {
      await Promise.all(workers.map((worker) => once(worker, "exit")));
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
    for (const file of rounds) assert.deepEqual(read(file, "SELECT revision FROM waymark_collections"), [100]);
  });

  it("is brought from nothing through all of them", () => {
    const file = folder.newFile();
    migrate(file, laterLayouts);
    assert.equal(layoutOf(file), present + 1);
    assert.deepEqual(read(file, "SELECT count(title) FROM waymark_collections"), [0]);
  });

  it("stays as it is when a step fails", async () => {
    const file = folder.newFile();
    await (await open(file)).close();
    assert.throws(() => migrate(file, [...laterLayouts, "SELECT 1 FROM elsewhere"]), /no such table: elsewhere/);
    assert.equal(layoutOf(file), present);
    assert.throws(() => read(file, "SELECT title FROM waymark_collections"), /no such column: title/);
    const database = await open(file);
    await create(database.store("person"), {});
    await database.close();
  });

  it("is refused when tables are missing, and stays as it is", async () => {
    const file = folder.newFile();
    const incomplete = new DatabaseSync(file);
    incomplete.exec(`PRAGMA application_id = ${0x77_6d_6b_31}; PRAGMA user_version = 1;
      CREATE TABLE waymark_collections (name TEXT PRIMARY KEY, revision INTEGER, last_id INTEGER)`);
    incomplete.close();
    const before = readFileSync(file);
    for (const opening of [() => open(file), () => openSnapshot(file)]) {
      await assert.rejects(opening, (error) => {
        assert.ok(error instanceof StoreOpenError);
        assert.match(error.message, /tables of it are missing; restore it from a backup/);
        return true;
      });
    }
    assert.deepEqual(readFileSync(file), before);
  });
});

describe("a restore into a SQLite file", () => {
  it("makes the indexes at its end, also when it is continued", async () => {
    const [target, fresh] = [folder.newFile(), folder.newFile()];
    await (await openSqliteDatabase(fresh, optionsOf(30))).close();
    const indexes = (): readonly unknown[] =>
      all(target, ["SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'person'"]);
    const restore = async (source: Snapshot): Promise<void> => {
      const database = await openSqliteDatabase(target, { ...optionsOf(30), forRestore: true });
      try {
        await database.restore(source);
      } finally {
        await database.close();
        await source.close();
      }
    };
    const breaking = await openSnapshot(layoutFile(`sqlite-${present}.db`));
    breaking.keys = () => {
      assert.deepEqual(indexes(), [[]]);
      throw new Error("broken off");
    };
    await assert.rejects(restore(breaking), /broken off/);
    const unfinished = await openSqliteDatabase(target, { ...optionsOf(30), forRestore: true });
    assert.deepEqual(indexes(), [[]]);
    await unfinished.close();
    await restore(await openSnapshot(layoutFile(`sqlite-${present}.db`)));
    assert.deepEqual(tablesOf(target), tablesOf(fresh));
    const database = await openSqliteDatabase(target, optionsOf(30));
    await assertFilled(database);
    await database.close();
  });
});

describe("what records of a SQLite file are compared by", () => {
  it("has no gaps where another version compares by something else: changes are refused, which a check says, and reads go on", async () => {
    const file = folder.newFile();
    const older = await open(file, { name: "person" });
    const people = older.store("person");
    const ada = await create(people, { name: "Ada" });
    const newer = await open(file);
    const changes = [() => people.create({}), () => people.replace(1, { name: "Eve" }), () => people.createAll([{}])];
    for (const change of changes) {
      await assert.rejects(change, (error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /Another version of this program has changed the columns of person: start this/);
        return true;
      });
    }
    await assert.rejects(older.check(), /has changed the columns of person/);
    await newer.check();
    assert.deepEqual(await people.find(1), ada);
    assert.deepEqual(await everything(people), [ada]);
    await replace(newer.store("person"), 1, { name: "Grace" });
    const named = { filters: [{ member: "name", operator: "eq", value: "Grace" }] } as const;
    assert.equal(await newer.store("person").count(named), 1);
    await older.close();
    await newer.close();
  });

  it("is made again when its rule has changed", async () => {
    const file = folder.newFile();
    const database = await open(file);
    await database.store("person").createAll([{ name: "Ada", identifier: "A1" }, { name: "Eve" }]);
    await database.close();
    const other = new DatabaseSync(file);
    other.exec(`UPDATE waymark_collections SET declared = replace(declared, '"text1', '"text0');
      DROP INDEX "person.text1 name"; ALTER TABLE person RENAME COLUMN "text1 name" TO "text0 name"; UPDATE person SET "text0 name" = 'before'`);
    other.close();
    const again = await open(file);
    const order = ["name", "id"].map((member) => ({ member, descending: true }));
    const records = (await Array.fromAsync(again.store("person").list({ order }))).flat();
    assert.deepEqual(
      records.map(({ id }) => id),
      [2, 1],
    );
    assert.deepEqual(await again.store("person").create({ identifier: "A1" }), {
      kind: "conflict",
      member: "identifier",
    });
    await again.close();
  });
});
