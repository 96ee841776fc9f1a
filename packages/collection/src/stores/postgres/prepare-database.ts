import type { StoredOptions } from "../../database.ts";
import { ownersFirst } from "../table/definition.ts";
import { UnusableDatabase } from "../unusable-database.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { attempt } from "./connections/pool.ts";
import type { OpenServer } from "./connections/servers.ts";
import type { PostgresTimeouts } from "./connections/session.ts";
import { enterEra } from "./era.ts";
import { assertFinished, type Layouts, metAnotherStart, migrate } from "./layout/migrations.ts";
import { prepareCollection } from "./layout/schema.ts";

/**
 * Brings the tables to the form that this program reads and writes, on a connection with long timeouts. Writes nothing where the
 * form is right, so that a standby can be opened, too. When several programs start together on an empty database, one makes the
 * tables; the others detect that and try again.
 */
export async function prepareDatabase(
  openServer: OpenServer,
  timeouts: PostgresTimeouts,
  options: StoredOptions,
  layouts: Layouts,
): Promise<void> {
  const patient = { ...timeouts, statement: patience, lock: patience };
  const prepareOnce = async (): Promise<void> => {
    const connection = await openServer(patient);
    try {
      await prepareOver(connection, options, layouts);
    } finally {
      await connection.close(); // which also rolls back
    }
  };
  return attempt(8, prepareOnce, metAnotherStart);
}

/** Prepares the database in one transaction, as far as the engine makes tables within transactions. */
async function prepareOver(
  connection: PostgresConnection,
  { collections, forRestore = false, onForgotten }: StoredOptions,
  layouts: Layouts,
): Promise<void> {
  await assertServer(connection, forRestore);
  await connection.begin();
  await migrate(connection, layouts);
  if (!forRestore) await assertFinished(connection);
  for (const definition of ownersFirst(collections)) await prepareCollection(connection, definition, onForgotten);
  await connection.query({ text: "COMMIT" });
  await enterEra(connection);
}

/**
 * In milliseconds. An index that a new version needs on a large table takes minutes to make, and other starting programs wait as
 * long.
 */
export const patience = 3_600_000;

async function assertServer(connection: PostgresConnection, isToBeWritten: boolean): Promise<void> {
  const [[version = "", encoding, readOnly, mayWrite] = []] = await connection.queryAlone({
    text: `SELECT current_setting('server_version_num'), current_setting('server_encoding'),
      current_setting('transaction_read_only'), has_table_privilege(to_regclass('waymark_collections'), 'UPDATE')`,
  });
  if (Number(version) < 150_000) throw new UnusableDatabase("the server is older than PostgreSQL 15; upgrade it");
  if (encoding !== "UTF8") throw new UnusableDatabase(`it is encoded in ${encoding}; create one with ENCODING 'UTF8'`);
  if (isToBeWritten && readOnly === "on") {
    throw new UnusableDatabase("it is read-only, as a standby is, and is to be written to; name the primary");
  }
  if (readOnly === "off" && mayWrite === "f") {
    throw new UnusableDatabase("the user may not write to its tables; grant it, or name another user");
  }
}
