import type { DatabaseSync } from "node:sqlite";
import { isAmbiguous, lastNumber, layoutsAfter } from "../../layout-numbers.ts";
import { convertAmbiguousLayout } from "./ambiguous-layout.ts";

/**
 * The statements that make each layout from the one before; the first one from an empty file. This program reads and writes the
 * last one, whose number the file has as its `user_version`. A landed layout never changes.
 */
export type Layouts = readonly [first: string, ...others: readonly string[]];

/**
 * Migrates a file from an older layout to the last one, within a transaction that may write. The tables of the collections are not
 * part of a layout: they follow their definitions.
 *
 * @param version the number of the file's layout; 0 for a new file
 */
export function migrate(database: DatabaseSync, version: number, layouts: Layouts): void {
  const last = lastNumber(layouts);
  if (version === last) return;
  if (isAmbiguous(version)) convertAmbiguousLayout(database, layouts[0]);
  for (const step of layoutsAfter(version, layouts)) database.exec(step);
  database.exec(`PRAGMA user_version = ${last}`);
}

/** The layouts of this program, from number 3 on. */
export const presentLayouts: Layouts = [
  `CREATE TABLE waymark_collections (
    name TEXT PRIMARY KEY,
    revision INTEGER NOT NULL, -- of the last change
    last_id INTEGER NOT NULL,  -- the greatest id ever assigned
    form TEXT NOT NULL         -- the shape of its table
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE waymark_removals (
    collection TEXT NOT NULL,
    id INTEGER NOT NULL, -- of a removed record; never assigned again
    PRIMARY KEY (collection, id)
  ) STRICT, WITHOUT ROWID;
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
  // The revisions of removals, and the seals, for the feed of changes.
  `ALTER TABLE waymark_removals ADD COLUMN revision INTEGER NOT NULL DEFAULT 0; -- of the removal; 0 before this layout
  ALTER TABLE waymark_removals ADD COLUMN owner INTEGER NOT NULL DEFAULT 0; -- of the record; 0 without an owner
  CREATE INDEX waymark_removals_revision ON waymark_removals (collection, revision, owner);
  CREATE TABLE waymark_seals (
    collection TEXT NOT NULL,
    revision INTEGER NOT NULL, -- the first one that was counted with the seal
    seal INTEGER NOT NULL,
    PRIMARY KEY (collection, revision)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO waymark_seals SELECT name, 0, 1 + abs(random() % 281474976710654) FROM waymark_collections;`,
];
