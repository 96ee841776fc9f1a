import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { execute, startKeptPostgres } from "../packages/collection/test/start-postgres.ts";
import { type Figures, measureManyPeople } from "./many-people.ts";
import { toManyPeopleTable } from "./report.ts";

/** How many people the databases have: the variable MANY_PEOPLE, or a million. */
const people = Number(process.env["MANY_PEOPLE"] ?? 1_000_000);

/** Where the databases and figures are kept, for the next measurement to go on with: the variable MANY_PEOPLE_FOLDER. */
const kept = process.env["MANY_PEOPLE_FOLDER"];

/** How many requests of each kind are sent, one after another. */
const requests = 500;

/** For a machine with 24 GB of memory. */
const postgresFlags = ["shared_buffers=2GB", "maintenance_work_mem=512MB", "max_wal_size=8GB"].flatMap((setting) => [
  "-c",
  setting,
]);

it(`${people} people are stored, read, searched, changed, copied and migrated, on SQLite and PostgreSQL`, async (t) => {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "many-people-")));
  await mkdir(folder, { recursive: true });
  const databases: { readonly name: string; readonly figures: Figures }[] = [];
  const measure = async (name: string, address: string, size: number, from?: string): Promise<void> => {
    const figuresFile = join(folder, `${name}-${size}.json`);
    const scratchFile = join(folder, "scratch.db");
    const onProgress = (step: string): unknown =>
      process.stderr.write(`${new Date().toISOString()} ${name}, ${size}: ${step}\n`);
    const database = { address, people: size, figuresFile, scratchFile, onProgress };
    databases.push({ name: `${name}, ${size}`, figures: await measureManyPeople(database, from, requests) });
  };
  try {
    const sizes = [...new Set([Math.min(10_000, people), people])];
    const fileOf = (size: number): string => join(folder, `people-${size}.db`);
    for (const size of sizes) await measure("SQLite", fileOf(size), size);
    await mkdir(join(folder, "postgres"), { recursive: true });
    const server = await startKeptPostgres(join(folder, "postgres"), ...postgresFlags);
    try {
      for (const size of sizes) {
        const url = new URL(`/people_${size}`, server.url).href;
        const found = await execute(server.url, `SELECT 1 FROM pg_database WHERE datname = 'people_${size}'`);
        if (found.length === 0) await execute(server.url, `CREATE DATABASE people_${size}`);
        await measure("PostgreSQL", url, size, fileOf(size));
      }
    } finally {
      await server.stop();
    }
    t.diagnostic(`\n${toManyPeopleTable(databases)}`);
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true });
  }
});
