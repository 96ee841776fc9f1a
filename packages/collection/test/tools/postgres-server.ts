import { after } from "node:test";
import type { Database } from "../../src/index.ts";
import {
  createSchema,
  execute,
  type PostgresServer,
  sharedServerVariable,
  startPostgres,
  uniqueName,
} from "./start-postgres.ts";

export { administrator } from "./postgres-programs.ts";
export { execute, type PostgresServer } from "./start-postgres.ts";

/** The URL of a new, empty database: of the server that all files of a run share, or else of the server of this process. */
export async function newPostgresDatabase(): Promise<string> {
  const url = process.env[sharedServerVariable];
  if (url === undefined) return (await postgresServer()).createDatabase();
  databaseOfProcess ??= createDatabase(url);
  return createSchema(await databaseOfProcess);
}

/**
 * Returns what gives the URL of one database again and again, with the collections in it emptied, whoever owns whom: that takes a tenth
 * of the time that making the tables again would take.
 */
export function emptiedPostgresDatabase(): EmptiedDatabase {
  let url: string | undefined;
  return async (collections) => {
    if (url === undefined) {
      url = await newPostgresDatabase();
      return url;
    }
    const bookkeeping = ["waymark_keys", "waymark_loading", "waymark_removals"];
    const tables = [...bookkeeping, ...collections.map(({ name }) => name)];
    await execute(
      url,
      `SET session_replication_role = replica;
      SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema::regnamespace;
      ${tables.map((table) => `DELETE FROM ${table}`).join(";")}`,
    );
    return url;
  };
}

/** The same of so many databases in turn. */
export function emptiedPostgresDatabases(count: number): EmptiedDatabase {
  const databases = Array.from({ length: count }, emptiedPostgresDatabase);
  let turn = 0;
  return (collections) => (databases[turn++ % count] ?? newPostgresDatabase)(collections);
}

/** Gives the URL of an empty database with these collections. */
type EmptiedDatabase = (collections: readonly { readonly name: string }[]) => Promise<string>;

/** A server of this process only, which tests may stop and kill. It starts when it is first asked for, and ends after the last test. */
export function postgresServer(): Promise<PostgresServer> {
  // What the tests kill are processes and never the machine: what is written is there without fsync.
  running ??= startPostgres("-c", "fsync=off");
  return running;
}

/** A database that is closed when its scope ends. */
export function disposable(database: Database): AsyncDisposable & { readonly database: Database } {
  return { database, [Symbol.asyncDispose]: () => database.close() };
}

/** Makes a database, so that neither locks nor notifications reach those of another file. */
async function createDatabase(server: string): Promise<string> {
  const name = uniqueName();
  await execute(server, `CREATE DATABASE ${name}`);
  return new URL(name, server).href;
}

let databaseOfProcess: Promise<string> | undefined;
let running: Promise<PostgresServer> | undefined;

// Here, and not where the server is started: there it would belong to the test that asked first.
after(async () => (await running)?.end());

// The test runner ends a process that takes too long; its server is to end with it.
process.once("SIGTERM", () => process.exit(143));
