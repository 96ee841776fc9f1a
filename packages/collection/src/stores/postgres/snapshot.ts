import type { Snapshot, SnapshotRange } from "../contract/snapshot.ts";
import { lastNumber } from "../layout-numbers.ts";
import { recordColumns } from "../table/rows.ts";
import { batchSize, type StampedRow, TableSnapshot } from "../table-snapshot.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { throwStoreFault, UnusableDatabase } from "./connections/fault.ts";
import type { PostgresServers } from "./connections/servers.ts";
import type { PostgresTimeouts, Statement } from "./connections/session.ts";
import { assertFinished, knownLayoutOf, presentLayouts } from "./layout/migrations.ts";
import { quoteName } from "./table/sql.ts";

/**
 * Opens a snapshot of a PostgreSQL database: a transaction that sees its present state, on its own connection. It blocks no other
 * program.
 *
 * @throws UnusableDatabase (rejects) when the database has no tables of this program; the error of the server, or of the system
 */
export async function openPostgresSnapshot(servers: PostgresServers, timeouts: PostgresTimeouts): Promise<Snapshot> {
  const connection = await servers.open({ ...timeouts, statement: patience });
  try {
    await connection.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // The reader of the snapshot may take any time between two statements.
    await connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = 0" });
    await assertLayout(connection);
    await assertFinished(connection);
    return new PostgresSnapshot(connection, await identityOf((statement) => connection.query(statement)));
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** In milliseconds, for a statement, because one statement counts the records of a large table. */
const patience = 3_600_000;

/** @throws UnusableDatabase when the database has no tables of this program, or those of another layout */
async function assertLayout(connection: PostgresConnection): Promise<void> {
  const version = await knownLayoutOf(connection, presentLayouts);
  if (version === lastNumber(presentLayouts)) return;
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

class PostgresSnapshot extends TableSnapshot {
  override readonly identity: string;
  protected override readonly partition = "partition";
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection, identity: string) {
    super();
    this.#connection = connection;
    this.identity = identity;
  }

  protected override first(
    collection: string,
    { after, upTo, changedSince }: Required<SnapshotRange>,
  ): Promise<readonly StampedRow[]> {
    // As in a selection, the limit comes first, and then only the documents within the size are read.
    const text = `SELECT ${recordColumns}, created_at FROM (
        SELECT *, sum(size) OVER (ORDER BY id) AS through FROM (
          SELECT * FROM ${quoteName(collection)}
          WHERE id > $1 AND id <= $2 AND revision > $3 ORDER BY id LIMIT 2000
        ) AS first
      ) AS batch WHERE through - size < ${batchSize} ORDER BY id`;
    return this.query<StampedRow>(text, [after, upTo, changedSince]);
  }

  protected override async query<Row>(text: string, values: readonly (number | string)[]): Promise<readonly Row[]> {
    const rows = await this.#connection.query({ text, values }).catch(throwStoreFault);
    return rows as unknown as Row[]; // the caller knows the columns
  }

  override async close(): Promise<void> {
    if (this.#connection.isUsable) await this.#connection.close();
  }
}
