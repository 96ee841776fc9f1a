// Writes the files of the present layouts into this directory, for the tests of later ones:
//
//   npx node --conditions=@waymark/source packages/collection/test/layouts/make-files.ts /usr/lib/postgresql/15/bin
//
// The operand is the directory of PostgreSQL's programs, pg_dump among them.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openPostgresDatabase, openSqliteDatabase } from "../../src/index.ts";
import { presentLayouts as postgresLayouts } from "../../src/stores/postgres/layout/migrations.ts";
import { presentLayouts as sqliteLayouts } from "../../src/stores/sqlite/connections/migrations.ts";
import { startInstalledPostgres } from "../tools/start-postgres.ts";
import { fill, optionsOf } from "./content.ts";

const fileOf = (name: string): string => join(import.meta.dirname, name);

async function makeSqliteFile(): Promise<void> {
  const file = join(tmpdir(), `layout-${process.pid}.db`);
  const target = fileOf(`sqlite-${sqliteLayouts.length}.db`);
  const database = await openSqliteDatabase(file, optionsOf(0));
  await fill(database);
  await database.close();
  writeSmall(file, target);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

/** Copies a database to a file with pages of 512 bytes. */
function writeSmall(file: string, target: string): void {
  rmSync(target, { force: true });
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512");
  database.prepare("VACUUM INTO ?").run(target);
  database.close();
}

async function makePostgresDump(bin: string): Promise<void> {
  const server = await startInstalledPostgres(bin, "-c", "fsync=off");
  try {
    const database = await openPostgresDatabase(server.url, optionsOf(0));
    await fill(database);
    await database.close();
    const flags = ["--inserts", "--rows-per-insert=100", "--no-owner", "--no-privileges", "--schema=public"];
    const dump = execFileSync(join(bin, "pg_dump"), [...flags, server.url], { encoding: "utf8" });
    writeFileSync(fileOf(`postgres-${postgresLayouts.length}.sql`), statementsOf(dump));
  } finally {
    await server.end();
  }
}

/** The statements of a dump that a driver can send, without the name of the schema. */
function statementsOf(dump: string): string {
  const statements = dump
    .replaceAll(/^(--|\\|SET |SELECT (?!pg_catalog\.setval)|CREATE SCHEMA |COMMENT ).*\n/gm, "")
    .replaceAll("public.", "");
  return `${statements.replaceAll(/\n{2,}/g, "\n").trim()}\n`;
}

const [bin] = process.argv.slice(2);
if (bin === undefined) throw new Error("Name the directory of PostgreSQL's programs");
await makeSqliteFile();
await makePostgresDump(bin);
