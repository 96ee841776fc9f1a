import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createSqliteFile, type TestDatabase } from "../tools/databases.ts";
import { runProgram, type ServiceProcess, startService } from "../tools/programs/service-process.ts";

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe("files with people", { skip: process.platform === "win32" && "modes say nothing there" }, () => {
  let database: TestDatabase;
  let directory: string;
  const umask = process.umask();
  before(async () => {
    database = await createSqliteFile();
    directory = dirname(database.location);
    process.umask(0o022); // that of most systems, which the programs inherit
  });
  after(async () => {
    process.umask(umask);
    await database.remove();
  });

  const at = (name: string): string => join(directory, name);

  async function store(file: string): Promise<ServiceProcess> {
    const service = await startService("--database", file);
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(`${service.url}/person`, { method: "POST", headers, body: '{"name":"Ada"}' });
    assert.equal(answer.status, 200);
    return service;
  }

  /** Returns how many warnings of other readers the service has logged. */
  async function stop(service: ServiceProcess): Promise<number> {
    service.kill("SIGTERM");
    const { code, stderr, log } = await service.exited;
    assert.deepEqual([code, stderr], [0, ""]);
    return log.filter(({ event }) => event === "readable-by-others").length;
  }

  it("are made for their owner only: the database, those beside it, a backup, a copy and what is restored", async () => {
    await using service = await store(database.location);
    for (const suffix of ["", "-wal", "-shm"]) assert.equal(modeOf(database.location + suffix), "600", suffix);
    const programs = [
      ["backup", at("backup.db"), "--database", database.location],
      ["copy", "--from", database.location, "--to", at("copy.db")],
      ["restore", at("backup.db"), "--database", at("restored.db")],
    ];
    for (const args of programs) assert.equal((await runProgram(...args)).code, 0, args.join(" "));
    assert.equal(await stop(service), 0);
    for (const name of readdirSync(directory)) assert.equal(modeOf(at(name)), "600", name);
    assert.ok(["backup.db", "copy.db", "restored.db"].every((name) => existsSync(at(name))));
  });

  it("keep their mode where they are there, a backup takes it, and the service warns of other readers", async () => {
    const file = at("shared.db");
    writeFileSync(file, "");
    for (const [mode, warnings] of [
      ["644", 1],
      ["640", 0],
    ] as const) {
      chmodSync(file, mode);
      await using service = await store(file);
      for (const suffix of ["", "-wal", "-shm"]) assert.equal(modeOf(file + suffix), mode, suffix);
      const { code, stderr } = await runProgram("backup", at(`${mode}.db`), "--database", file);
      assert.deepEqual([code, modeOf(at(`${mode}.db`))], [0, mode], stderr);
      assert.equal(await stop(service), warnings);
    }
  });
});
