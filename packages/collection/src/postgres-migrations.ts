import type { PostgresConnection } from "./postgres-connection.ts";
import { UnusableDatabase } from "./postgres-open-fault.ts";

/**
 * Each takes the layout of our own tables from one number to the next, the first from 0 to 1. What is released is never
 * changed: another one is added to it.
 */
const migrations: readonly string[] = [
  `
    CREATE TABLE waymark_layout (version integer NOT NULL);
    INSERT INTO waymark_layout VALUES (0);
    CREATE TABLE waymark_collections (
      name text COLLATE "C" PRIMARY KEY,
      revision bigint NOT NULL, -- the last one
      last_id bigint NOT NULL   -- the greatest that any record ever had
    );
    CREATE TABLE waymark_removals (
      collection text COLLATE "C" NOT NULL,
      id bigint NOT NULL, -- that a record had, and none may have again
      PRIMARY KEY (collection, id)
    );
  `,
];

/**
 * Brings the layout to that of this program, within the transaction of the connection. It waits for another program that
 * does the same, so that each migration is made once.
 *
 * @throws UnusableDatabase when the layout is newer
 */
export async function migrate(connection: PostgresConnection): Promise<void> {
  await connection.query({ text: `SELECT pg_advisory_xact_lock(${migrationLock})` });
  const version = await layoutOf(connection);
  if (version > migrations.length) {
    throw new UnusableDatabase(
      `a newer version of this program wrote it (layout ${version}, and this one knows ${migrations.length}); upgrade, or name another database`,
    );
  }
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) await connection.query({ text: migration });
  await connection.query({ text: `UPDATE waymark_layout SET version = ${migrations.length}` });
}

/** The ASCII codes of `waymark`. */
const migrationLock = "33602696382607979";

async function layoutOf(connection: PostgresConnection): Promise<number> {
  const [[isThere] = []] = await connection.query({ text: "SELECT to_regclass('waymark_layout')" });
  if (isThere === null) return 0;
  const [[version] = []] = await connection.query({ text: "SELECT version FROM waymark_layout" });
  return Number(version);
}
