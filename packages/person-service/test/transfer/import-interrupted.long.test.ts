import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { after, describe, it } from "node:test";
import { openDatabase } from "@waymark/collection";
import { administrator } from "../../../collection/test/tools/postgres-server.ts";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { personCollection } from "../../src/person/collection.ts";
import { createPostgresDatabase, createSqliteFile, databaseKinds, type TestDatabase } from "../tools/databases.ts";
import { runProgram, runProgramBy, startProgram } from "../tools/programs/service-process.ts";

const folder = openFolder("import-interrupted");
const count = 2500;
const file = folder.path("people.csv");
const rows = Array.from({ length: count }, (_, i) => `Person ${i},p${i}@example.org,M${i},${"note ".repeat(40)}\n`);
writeFileSync(file, `name,email,identifier,description\n${rows.join("")}`);

/** Returns how many people a database has, and how many different identifiers. */
async function stored(address: string): Promise<readonly [people: number, different: number]> {
  const database = await openDatabase(address, { collections: [personCollection] });
  const identifiers: string[] = [];
  for await (const batch of database.store("person").list()) {
    for (const { json } of batch) identifiers.push(JSON.parse(json).identifier);
  }
  await database.close();
  return [identifiers.length, new Set(identifiers).size];
}

for (const kind of databaseKinds) {
  describe(`an import that is interrupted, on ${kind.name}`, () => {
    let database: TestDatabase;
    after(() => database.remove());

    /** Kills an import into a new database once it has stored somebody, and returns how many it has stored. */
    const killMidway = async (): Promise<number> => {
      database = await kind.create();
      const killed = startProgram("import", file, "--database", database.location);
      const watched = await openDatabase(database.location, { collections: [personCollection] });
      while ((await watched.store("person").count()) === 0);
      killed.kill("SIGKILL");
      await killed.exited;
      const before = await watched.store("person").count();
      await watched.close();
      if (before < count) return before;
      await database.remove(); // on a busy machine the import can be through before it is seen to store
      return killMidway();
    };

    it("by kill -9 goes on when it is run again, and stores nobody twice", async () => {
      const before = await killMidway();
      assert.ok(before > 0);
      const { code, stdout, log } = await runProgram("import", file, "--database", database.location);
      assert.equal(code, 0);
      assert.match(stdout, /^stored 2,500 people in .*\n$/);
      assert.deepEqual(
        log.map(({ event, caller, created }) => [event, caller, created]),
        [["change", `system:${userInfo().username}`, count - before]],
      );
      assert.deepEqual(await stored(database.location), [count, count]);
    });

    it("may be run again when it is complete, and changes people by their identifier", async () => {
      const again = await runProgram("import", file, "--database", database.location);
      assert.match(again.stdout, /^stored 2,500 people in .*\n$/);
      assert.match(again.stderr, /\nThis is the report of an import of this file in the last 24 hours: /);
      const changes = folder.path("changes.csv");
      writeFileSync(changes, "name,identifier\nAda Lovelace,M0\nPerson 1,M1\nGrace Hopper,M9999\n");
      const upsert = await runProgram("import", changes, "--upsert", "identifier", "--database", database.location);
      assert.match(upsert.stdout, /^stored 1 person in .*, 1 changed, 1 unchanged\n$/);
      assert.deepEqual(await stored(database.location), [count + 1, count + 1]);
    });
  });
}

describe("an import on a disk that gets full", () => {
  it("says what is stored and why it ends, and goes on once there is room", async () => {
    const { location, remove } = await createSqliteFile();
    // In blocks of 512 bytes: files may have 512 KiB.
    const full = await runProgramBy(
      ["sh", "-c", `ulimit -f 1024; exec "$0" "$@"`],
      "import",
      file,
      "--database",
      location,
    );
    assert.equal(full.code, 1);
    assert.equal(full.stdout, "");
    assert.match(
      full.stderr,
      /^person-service: [^\n]*\. To go on, run the same command again within 24 hours, with the same file\.\n$/,
    );
    const { code } = await runProgram("import", file, "--database", location);
    assert.equal(code, 0);
    assert.deepEqual(await stored(location), [count, count]);
    await remove();
  });

  it("leaves no file of an export that does not fit, and says so in a line", async () => {
    const { location, remove } = await createSqliteFile();
    await runProgram("import", file, "--database", location);
    const target = folder.path("export.csv");
    const shell = ["sh", "-c", `ulimit -f 512; exec "$0" "$@"`];
    const { code, stdout, stderr } = await runProgramBy(shell, "export", target, "--database", location);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^person-service: [^\n]+\n$/);
    await remove();
  });
});

describe("the password of PostgreSQL", () => {
  it("comes from the file of PGPASSFILE", async () => {
    const { location } = await createPostgresDatabase();
    const url = new URL(location);
    const escaped = (text: string): string => text.replace(/[\\:]/g, "\\$&");
    const passwords = folder.path("pgpass");
    writeFileSync(passwords, `*:*:*:${escaped(decodeURIComponent(url.username))}:${escaped(administrator.password)}\n`);
    chmodSync(passwords, 0o600);
    url.password = "";
    const shell = ["sh", "-c", `PGPASSFILE='${passwords}' exec "$0" "$@"`];
    const { code, stdout, stderr } = await runProgramBy(shell, "export", "--database", url.href, "--format", "csv");
    assert.deepEqual([code, stdout.slice(0, 3), stderr], [0, "id,", ""]);
    const without = await runProgram("export", "--database", url.href, "--format", "csv");
    assert.equal(without.code, 1);
    assert.match(without.stderr, /^person-service: Cannot open the database [^\n]+\n$/);
  });
});
