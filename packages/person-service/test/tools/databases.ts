import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newPostgresDatabase } from "../../../collection/test/tools/postgres-server.ts";

/** A kind of database that the black-box tests run on. */
export interface DatabaseKind {
  readonly name: string;
  /** Makes an empty one. */
  create(): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** Where the service keeps its people. */
  readonly location: string;
  remove(): Promise<void>;
  /** Looks for damage, where the database has a check for it. */
  assertIntact?(): void;
}

export const sqlite: DatabaseKind = { name: "SQLite", create: createSqliteFile };

/** The same without a file and without threads, which take four fifths of the time to open a service. */
export const sqliteInMemory: DatabaseKind = {
  name: "SQLite",
  create: async () => ({ location: ":memory:", remove: async () => undefined }),
};

export const databaseKinds: readonly DatabaseKind[] = [sqlite, { name: "PostgreSQL", create: createPostgresDatabase }];

/** The path of a SQLite file that is still to be made, in a directory of its own. */
export async function createSqliteFile(): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), "person-service-"));
  const location = join(directory, "person.db");
  return {
    location,
    remove: () => rm(directory, { recursive: true, force: true }),
    assertIntact() {
      const database = new DatabaseSync(location, { readOnly: true });
      try {
        assert.deepEqual({ ...database.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
      } finally {
        database.close();
      }
    },
  };
}

/** The URL of an empty database of the server that the tests share, and that is gone after them. */
export async function createPostgresDatabase(): Promise<TestDatabase> {
  return { location: await newPostgresDatabase(), remove: async () => undefined };
}
