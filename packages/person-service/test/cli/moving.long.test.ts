import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { type Database, openDatabase, type StoredRecord } from "@waymark/collection";
import { personCollection } from "../../src/person/collection.ts";
import { createPostgresDatabase, createSqliteFile, databaseKinds, type TestDatabase } from "../tools/databases.ts";
import {
  type Exit,
  runProgram,
  type ServiceProcess,
  startProgram,
  startService,
} from "../tools/programs/service-process.ts";

const databases: TestDatabase[] = [];
after(async () => {
  for (const database of databases) await database.remove();
});

/** The address of a database that is not there yet, or is empty. */
async function newDatabase(create = createSqliteFile): Promise<string> {
  const database = await create();
  databases.push(database);
  return database.location;
}

/** Checks that the program succeeded, and returns what it printed. */
function assertDone({ code, signal, stdout, stderr }: Exit): string {
  assert.deepEqual([code, signal], [0, undefined], stderr);
  return stdout;
}

/** Checks that the program ended for a reason that it said in one line. */
function assertRefused({ code, stdout, stderr }: Exit, reason: RegExp): void {
  assert.deepEqual([code, stdout], [1, ""], stderr);
  assert.match(stderr, /^person-service: [^\n]+\n$/);
  assert.match(stderr, reason);
}

/** Of whom a batch has about a thousand. */
const manyPeople = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Ada ${n}`, description: "x".repeat(1000) }));

const everything = async (database: Database): Promise<readonly StoredRecord[]> =>
  (await Array.fromAsync(database.store("person").list())).flat();

const send = ({ url }: ServiceProcess, method: string, path: string, person?: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method,
    ...(person !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(person) }),
  });

/** What a service answers to GET for the list, for people all over it, and for those who are not there. */
async function answersOf(address: string): Promise<readonly unknown[]> {
  await using service = await startService("--database", address);
  const some = Array.from({ length: 54 }, (_, n) => `/${10 * n + 7}`);
  const answers = await Promise.all(
    ["", "/1", "/2", "/5", ...some, "/538"].map(async (path) => {
      const answer = await send(service, "GET", `/person${path}`);
      const { status, headers } = answer;
      // Databases of each kind name the states of a list in their own way.
      const tag = path === "" ? null : headers.get("ETag");
      return [path, status, tag, headers.get("Last-Modified"), await answer.text()];
    }),
  );
  service.kill("SIGTERM");
  assert.equal((await service.exited).code, 0);
  return answers;
}

describe("copy", () => {
  it("takes the demo from SQLite to PostgreSQL and back, with the same bytes, and entity tags of people", async () => {
    const [first, second, third] = [
      await newDatabase(),
      await newDatabase(createPostgresDatabase),
      await newDatabase(),
    ];
    {
      await using service = await startService("--demo", "--database", first);
      assert.equal(
        (await send(service, "PUT", "/person/2", { name: "Grünwald \u{1f469}\u200d\u{1f4bb}" })).status,
        204,
      );
      assert.equal((await send(service, "DELETE", "/person/5")).status, 200);
      assert.equal((await send(service, "DELETE", "/person/537")).status, 200);
      service.kill("SIGTERM");
      await service.exited;
    }
    const copied = assertDone(await runProgram("copy", "--from", first, "--to", second));
    assert.match(copied, /^copied 535 people from \/\S+ to postgres:\/\/127\.0\.0\.1:\d+\/\w+\n$/);
    assertDone(await runProgram("copy", "--from", second, "--to", third));
    const backup = `${third}.backup`;
    assert.match(
      assertDone(await runProgram("backup", backup, "--database", second)),
      /^backed up postgres:\/\/\S+ to \S+\.backup\n$/,
    );
    assert.deepEqual(
      readdirSync(dirname(backup)).filter((name) => name.includes(basename(backup))),
      [basename(backup)],
    );
    const expected = await answersOf(first);
    for (const copy of [second, third, backup]) assert.deepEqual(await answersOf(copy), expected);

    await using service = await startService("--database", third);
    assert.equal((await send(service, "POST", "/person", { id: 5, name: "Ada" })).status, 409);
    assert.equal((await send(service, "POST", "/person", { name: "Ada" })).headers.get("Location"), "/person/538");
  });

  for (const { name, create } of databaseKinds) {
    it(`that was killed midway goes on when it is run again, to ${name}; nobody can use the half`, async () => {
      const from = await newDatabase();
      const count = 6_000;
      const source = await openDatabase(from, { collections: [personCollection] });
      await source.store("person").createAll(manyPeople(count));

      const killMidway = async (): Promise<string> => {
        const to = await newDatabase(create);
        const killed = startProgram("copy", "--from", from, "--to", to);
        await killed.untilPrinted(/^[1-9]\d* of 6000 people\n/m);
        killed.kill("SIGKILL");
        const { signal, stdout } = await killed.exited;
        // On a busy machine the copy can be through before it is seen to have begun.
        return signal === "SIGKILL" && stdout === "" ? to : killMidway();
      };
      const to = await killMidway();
      assertRefused(await runProgram("--port", "0", "--database", to), /a restore into it is not finished/);
      const other = await newDatabase();
      await (await openDatabase(other, { collections: [personCollection] })).close();
      assertRefused(
        await runProgram("copy", "--from", other, "--to", to),
        /has an unfinished restore from another source/,
      );

      // While the source is in use.
      await source.store("person").remove(1);
      await source.store("person").replace(2, { name: "Grace" });
      const resumed = await runProgram("copy", "--from", from, "--to", to);
      assert.match(assertDone(resumed), /^copied 5,999 people from /);
      assert.match(resumed.stderr, /^[1-9]\d* of 5999 people\n/);
      const target = await openDatabase(to, { collections: [personCollection] });
      for (const database of [source, target]) assert.equal(await database.store("person").count(), count - 1);
      assert.ok(isDeepStrictEqual(await everything(target), await everything(source)));
      assert.equal(await target.store("person").revision(), await source.store("person").revision());
      await source.close();
      await target.close();
    });
  }

  it("says in one line what it cannot do, and makes and changes nothing", async () => {
    const [empty, full, none, postgres] = [
      await newDatabase(),
      await newDatabase(),
      await newDatabase(),
      await newDatabase(createPostgresDatabase),
    ];
    for (const [address, people] of [
      [empty, []],
      [full, [{ name: "Ada" }]],
    ] as const) {
      const database = await openDatabase(address, { collections: [personCollection] });
      await database.store("person").createAll(people);
      await database.close();
    }
    const text = join(dirname(none), "people.txt");
    writeFileSync(text, "Ada\n".repeat(1000));
    const before = readFileSync(full);
    for (const [from, to, reason] of [
      [none, empty, /person\.db": there is no such file/],
      [postgres, empty, /it has no collections/],
      [text, empty, /is not an SQLite database/],
      [dirname(none), empty, /it is no file/],
      [empty, full, /has, or had, records/],
      [full, text, /is not an SQLite database/],
    ] as const) {
      assertRefused(await runProgram("copy", "--from", from, "--to", to), reason);
    }
    assert.ok(!existsSync(none));
    assert.ok(readFileSync(full).equals(before));
    const itself = await runProgram("copy", "--from", full, "--to", full);
    assert.equal(itself.code, 2);
    assert.match(itself.stderr, /--from and --to are the same database/);
    assert.equal((await runProgram("copy", "--from", full)).code, 2);
  });
});

describe("backup and restore", () => {
  let location = "";
  let backup = "";
  /** The names of those who were answered before the backup began. */
  const acknowledged: string[] = [];

  before(async () => {
    location = await newDatabase();
    backup = join(dirname(await newDatabase()), "backup.db");
    // So many that a backup takes several steps.
    const database = await openDatabase(location, { collections: [personCollection] });
    await database.store("person").createAll(manyPeople(2000));
    await database.close();
    await using service = await startService("--database", location);
    let isOver = false;
    const stored: string[] = [];
    const writing = Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let n = 0; !isOver; n++) {
          const name = `Ada ${client}-${n}`;
          assert.equal((await send(service, "POST", "/person", { name })).status, 200);
          stored.push(name);
        }
      }),
    );
    while (stored.length < 300) await new Promise(setImmediate);
    acknowledged.push(...stored);
    assert.match(assertDone(await runProgram("backup", backup, "--database", location)), /^backed up /);
    const after = stored.length;
    while (stored.length < after + 50) await new Promise(setImmediate);
    isOver = true;
    await writing;
  });

  it("is of one moment, while clients write: everything from before, and nothing by halves", () => {
    assert.deepEqual(readdirSync(dirname(backup)), ["backup.db"]);
    const database = new DatabaseSync(backup, { readOnly: true });
    const people = database.prepare("SELECT id, revision, document FROM person ORDER BY id").all();
    const counters = database.prepare("SELECT revision, last_id FROM waymark_collections").get();
    assert.deepEqual({ ...database.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
    database.close();
    assert.deepEqual({ ...counters }, { revision: people.length, last_id: people.length });
    assert.ok(people.every(({ id, revision }, i) => id === i + 1 && revision === i + 1));
    const names = new Set(people.map(({ document }) => JSON.parse(String(document)).name));
    assert.deepEqual(
      acknowledged.filter((name) => !names.has(name)),
      [],
    );
  });

  it("never replaces a file, and says in one line what it cannot do", async () => {
    const bytes = readFileSync(backup);
    for (const [file, database, reason] of [
      [backup, location, /There is ".*backup\.db" already/],
      [dirname(backup), location, /already/],
      [join(dirname(backup), "none", "x.db"), location, /Cannot write ".*": its directory is not there/],
      [`${backup}.2`, `${location}.none`, /there is no such file/],
      [backup, "postgres://localhost/people", /There is ".*backup\.db" already/],
      [
        join(dirname(backup), "none", "x.db"),
        "postgres://localhost/people",
        /none.x\.db" cannot be made: its directory does not/,
      ],
      [`${backup}.2`, "postgres://localhost:1/people", /nothing answers there/],
    ] as const) {
      assertRefused(await runProgram("backup", file, "--database", database), reason);
    }
    assert.ok(readFileSync(backup).equals(bytes));
    assert.deepEqual(readdirSync(dirname(backup)), ["backup.db"]);
  });

  for (const { name, create } of databaseKinds) {
    it(`is restored to ${name} as it is, and not a second time`, async () => {
      const to = await newDatabase(create);
      const bytes = readFileSync(backup);
      const restore = () => runProgram("restore", backup, "--database", to);
      assert.match(assertDone(await restore()), /^restored [\d,]+ people from /);
      assertRefused(await restore(), /has, or had, records/);
      assert.ok(readFileSync(backup).equals(bytes));
      assert.deepEqual(readdirSync(dirname(backup)), ["backup.db"]);
      const target = await openDatabase(to, { collections: [personCollection] });
      const source = new DatabaseSync(backup, { readOnly: true });
      const people = source.prepare("SELECT id, revision, updated_at AS updatedAt, document AS json FROM person").all();
      const restored = (await Array.fromAsync(target.store("person").list())).flat();
      assert.deepEqual(
        restored,
        people.map((person) => ({ ...person })),
      );
      source.close();
      await target.close();
    });
  }

  it("is not restored from a file that is damaged, another program's, or missing", async () => {
    const to = await newDatabase();
    const file = join(dirname(to), "bad.db");
    const bytes = readFileSync(backup);
    const middle = Math.floor(bytes.length / 2);
    const damages: readonly (readonly [damage: () => void, reason: RegExp])[] = [
      [() => truncateSync(file, middle), /it is damaged/],
      [() => writeFileSync(file, Buffer.from(bytes).fill(0xff, middle, middle + 20_000)), /it is damaged/],
      [() => writeFileSync(file, ""), /it is empty/],
      [() => writeFileSync(file, "name\nAda\n".repeat(1000)), /is not an SQLite database/],
      [
        () => {
          writeFileSync(file, "");
          const foreign = new DatabaseSync(file);
          foreign.exec("CREATE TABLE notes (text TEXT)");
          foreign.close();
        },
        /database of another program/,
      ],
    ];
    for (const [damage, reason] of damages) {
      writeFileSync(file, bytes);
      damage();
      assertRefused(await runProgram("restore", file, "--database", to), reason);
    }
    assertRefused(await runProgram("restore", `${file}.none`, "--database", to), /there is no such file/);
    assert.ok(!existsSync(to));
  });
});
