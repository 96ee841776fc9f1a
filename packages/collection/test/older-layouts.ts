import { DatabaseSync } from "node:sqlite";

/**
 * Makes a file as the first layout had it: of ten people who were stored the third and the last are removed, and the first
 * was changed afterwards. The statements are those of that time.
 */
export function makeLayout1(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA application_id = ${0x77_6d_72_6b};
    PRAGMA user_version = 1;
    CREATE TABLE waymark_collections (
      name TEXT PRIMARY KEY,
      revision INTEGER NOT NULL, -- the last one
      last_id INTEGER NOT NULL   -- the greatest that any record ever had
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE waymark_removals (
      collection TEXT NOT NULL,
      id INTEGER NOT NULL, -- that a record had, and none may have again
      PRIMARY KEY (collection, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE "person" (
      id INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL,
      created_at INTEGER NOT NULL, -- milliseconds since the epoch
      updated_at INTEGER NOT NULL,
      document TEXT NOT NULL       -- the JSON text that is sent
    ) STRICT;
    ALTER TABLE "person"
      ADD COLUMN "member_identifier" ANY GENERATED ALWAYS AS (document ->> '$."identifier"') VIRTUAL;
    CREATE UNIQUE INDEX "person_unique_identifier" ON "person" ("member_identifier");
    INSERT INTO waymark_collections VALUES ('person', 13, 10);
    INSERT INTO waymark_removals VALUES ('person', 3), ('person', 10);
  `);
  const insert = database.prepare("INSERT INTO person VALUES (?, ?, 0, 1000, ?)");
  for (const id of [1, 2, 4, 5, 6, 7, 8, 9]) {
    const revision = id === 1 ? 11 : id;
    insert.run(id, revision, layout1Record(id));
  }
  database.close();
}

/** The text of a record that is in it. */
export const layout1Record = (id: number): string =>
  `{"id":${id},"name":"Person ${10 - id}","identifier":"A${id}","createdAt":"1970-01-01T00:00:00.000Z","updatedAt":"1970-01-01T00:00:01.000Z"}`;
