import type { DatabaseSync } from "node:sqlite";

/** The layout of the tables that this version reads and writes, kept as the file's `user_version`. */
export const schemaVersion = 2;

/**
 * Brings a file from an older layout to this one, within a transaction that may write. The tables of the collections
 * themselves are made and changed as their definitions say.
 *
 * @param version of the layout that the file has; 0 for a new one
 */
export function migrate(database: DatabaseSync, version: number): void {
  for (const step of migrations.slice(version)) database.exec(step);
  if (version < schemaVersion) database.exec(`PRAGMA user_version = ${schemaVersion}`);
}

/** What leads to each layout from the one before. One that has been released stays as it is. */
const migrations: readonly string[] = [
  `CREATE TABLE waymark_collections (
    name TEXT PRIMARY KEY,
    revision INTEGER NOT NULL, -- the last one
    last_id INTEGER NOT NULL   -- the greatest that any record ever had
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE waymark_removals (
    collection TEXT NOT NULL,
    id INTEGER NOT NULL, -- that a record had, and none may have again
    PRIMARY KEY (collection, id)
  ) STRICT, WITHOUT ROWID;`,

  `ALTER TABLE waymark_collections ADD COLUMN full_text TEXT; -- what the table of words has; NULL where there is none
  CREATE TABLE waymark_keys (
    collection TEXT NOT NULL,
    owner INTEGER NOT NULL, -- of the record; 0 where it has none
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    time INTEGER NOT NULL,  -- when the record was created, in milliseconds since the epoch
    document TEXT NOT NULL, -- the record as it was then
    PRIMARY KEY (collection, owner, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waymark_keys_time ON waymark_keys (time);`,
];
