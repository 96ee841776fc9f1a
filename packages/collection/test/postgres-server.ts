import { after } from "node:test";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";

export { administrator } from "./postgres-programs.ts";
export { execute, type PostgresServer } from "./start-postgres.ts";

/** The server of the tests of this process; it is started when it is first asked for, and gone after the last test. */
export function postgresServer(): Promise<PostgresServer> {
  // What the tests kill are processes and never the machine: what is written is there without fsync.
  running ??= startPostgres("-c", "fsync=off");
  return running;
}

let running: Promise<PostgresServer> | undefined;

// Here, and not where the server is started: there it would belong to the test that asked first.
after(async () => (await running)?.end());

// The test runner ends a process that takes too long; its server is to end with it.
process.once("SIGTERM", () => process.exit(143));
