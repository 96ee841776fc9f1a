import type { Snapshot } from "../contract/snapshot.ts";
import { recordColumns } from "../table/rows.ts";
import { batchSize, type SnapshotTables, tableSnapshot } from "../table-snapshot.ts";
import { UnusableDatabase } from "../unusable-database.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { throwStoreFault } from "./connections/fault.ts";
import type { OpenServer } from "./connections/servers.ts";
import type { PostgresTimeouts, Statement } from "./connections/session.ts";
import { assertFinished, layoutOf, presentLayouts } from "./layout/migrations.ts";
import { idSequence, lastOf, quoteName, revisionSequence } from "./table/sql.ts";

/**
 * Opens a snapshot of a PostgreSQL database: a transaction that sees its present state, on its own connection. It blocks no other
 * program.
 *
 * @throws UnusableDatabase (rejects) when the database has no tables of this program; the error of the server, or of the system
 */
export async function openPostgresSnapshot(openServer: OpenServer, timeouts: PostgresTimeouts): Promise<Snapshot> {
  const connection = await openServer({ ...timeouts, statement: patience });
  try {
    await connection.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // The reader of the snapshot may take any time between two statements.
    await connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = 0" });
    await assertLayout(connection);
    await assertFinished(connection);
    return snapshotOver(connection, await identityOf((statement) => connection.query(statement)));
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** In milliseconds, for a statement, because one statement counts the records of a large table. */
const patience = 3_600_000;

/** @throws UnusableDatabase when the database has no tables of this program, or those of another layout */
async function assertLayout(connection: PostgresConnection): Promise<void> {
  const version = await layoutOf(connection, presentLayouts);
  if (version === presentLayouts.length) return;
  throw new UnusableDatabase(
    version === 0
      ? "it has no collections; name another one"
      : "its layout is that of an older version; start this version on it once, which brings it up to date",
  );
}

/** Returns the identity that distinguishes a database, and the schema in it, from every other one. */
export async function identityOf(query: (statement: Statement) => Promise<readonly IdentityRow[]>): Promise<string> {
  const [[identity] = []] = await query({ text: "SELECT identity FROM waymark_layout" });
  return `postgres ${identity}`;
}

type IdentityRow = readonly (string | null)[];

function snapshotOver(connection: PostgresConnection, identity: string): Snapshot {
  const query: SnapshotTables["query"] = async <Row>(text: string, values: readonly (number | string)[]) => {
    const rows = await connection.query({ text, values }).catch(throwStoreFault);
    return rows as unknown as Row[]; // the caller knows the columns
  };
  return tableSnapshot({
    identity,
    counters: (collection) =>
      `SELECT ${lastOf(revisionSequence(collection))}, ${lastOf(idSequence(collection))}, pg_snapshot_xmin(pg_current_snapshot())`,
    query,
    first(collection, { after, upTo, changedSince }) {
      // As in a selection, the limit comes first, and then only the documents within the size are read.
      const text = `SELECT ${recordColumns}, created_at FROM (
          SELECT *, sum(size) OVER (ORDER BY id) AS through FROM (
            SELECT * FROM ${quoteName(collection)}
            WHERE id > $1 AND id <= $2 AND tx >= $3::text::xid8 ORDER BY id LIMIT 2000
          ) AS first
        ) AS batch WHERE through - size < ${batchSize} ORDER BY id`;
      return query(text, [after, upTo, `${Math.max(0, changedSince)}`]);
    },
    async close() {
      if (connection.isUsable) await connection.close();
    },
  });
}
