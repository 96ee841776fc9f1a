import type { DatabaseSync } from "node:sqlite";

/**
 * The statements that make each layout from the one before; the first one from an empty file. Their numbers begin with 1. This
 * program reads and writes the last one, whose number the file has as its `user_version`. A landed layout never changes.
 */
export type Layouts = readonly string[];

/**
 * Migrates a file from an older layout to the last one, within a transaction that may write. The tables of the collections are not
 * part of a layout: they follow their definitions.
 *
 * @param number of the file's layout; 0 for a new file
 */
export function migrate(database: DatabaseSync, number: number, layouts: Layouts): void {
  if (number === layouts.length) return;
  for (const step of layouts.slice(number)) database.exec(step);
  database.exec(`PRAGMA user_version = ${layouts.length}`);
}

/** The layouts of this program. */
export const presentLayouts: Layouts = [
  `CREATE TABLE waymark_collections (
    name TEXT PRIMARY KEY,
    revision INTEGER NOT NULL, -- of the last change
    last_id INTEGER NOT NULL,  -- the greatest id ever assigned
    declared TEXT NOT NULL     -- what its records are compared by, as a list of JSON
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE waymark_removals (
    collection TEXT NOT NULL,
    id INTEGER NOT NULL,       -- of a removed record; never assigned again
    revision INTEGER NOT NULL, -- of the removal
    owner INTEGER NOT NULL,    -- of the record; 0 without an owner
    PRIMARY KEY (collection, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waymark_removals_revision ON waymark_removals (collection, revision);
  CREATE INDEX waymark_removals_owner ON waymark_removals (collection, owner, revision) WHERE owner <> 0;
  CREATE TABLE waymark_era (
    era TEXT NOT NULL -- another one after each resume: cursors are held to it
  ) STRICT;
  INSERT INTO waymark_era VALUES (lower(hex(randomblob(16))));
  CREATE TABLE waymark_keys (
    collection TEXT NOT NULL,
    owner INTEGER NOT NULL, -- of the record; 0 without an owner
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    time INTEGER NOT NULL,  -- when the record was created, in milliseconds since the epoch
    PRIMARY KEY (collection, owner, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waymark_keys_time ON waymark_keys (time);`,
];
