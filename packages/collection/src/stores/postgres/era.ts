import { lostAtMost } from "../record-database.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { idSequence, lastOf, quoteName, quoteText, revisionSequence } from "./table/sql.ts";

// The numbers of transactions, and with them the cursors of followers, mean something on one server only, and in one history of it: a
// standby that is promoted gives the numbers again that it had not got yet. So a database has an era, which ends where its server, its
// number there or the timeline is another one.

/** Names the server, the database and the timeline; only a primary can tell. */
const server = `concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
  (SELECT oid FROM pg_database WHERE datname = current_database()), left(pg_walfile_name(pg_current_wal_lsn()), 8))`;

/**
 * Begins another era where the server of a connection is not the one that the database names. To be called for each new connection, before
 * it is used. On a standby it does nothing.
 */
export async function enterEra(connection: PostgresConnection): Promise<void> {
  const [[isPresent] = []] = await connection.queryAlone({
    text: `SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN true
      ELSE server IS NOT DISTINCT FROM ${server} END FROM waymark_era`,
  });
  if (isPresent !== "f") return;
  await connection.inTransaction(async () => {
    const [[before] = []] = await connection.query({ text: "SELECT server FROM waymark_era FOR UPDATE" });
    const changed = await connection.query({
      text: `UPDATE waymark_era SET server = ${server} WHERE server IS DISTINCT FROM ${server} RETURNING era`,
    });
    if (changed.length === 0 || before === null) return; // another program was faster, or the database is new
    await beginEra(connection, idsLostAtMost);
  });
}

/**
 * Begins another era, within the transaction of the connection: cursors of before are refused, and no revision and no id is given again.
 *
 * @param ids by how many the ids go on beyond the last one
 */
export async function beginEra(connection: PostgresConnection, ids: number): Promise<void> {
  await connection.query({ text: "SET LOCAL statement_timeout = '1h'" });
  await connection.query({ text: "UPDATE waymark_era SET era = gen_random_uuid()::text" });
  const collections = await connection.query<readonly [name: string]>({ text: "SELECT name FROM waymark_collections" });
  for (const [name] of collections) {
    for (const [sequence, lost] of [
      [idSequence(name), ids],
      [revisionSequence(name), lostAtMost],
    ] as const) {
      await connection.query({ text: `SELECT setval(${quoteText(sequence)}, ${lastOf(sequence)} + ${lost})` });
    }
  }
  // Transactions that this server has not had yet would keep their changes from being read.
  const numbers = [
    ...collections.map(([name]) => [quoteName(name), "tx"]),
    ["waymark_removals", "tx"],
    ["waymark_fills", "since"],
  ];
  for (const [table, column] of numbers) {
    const text = `UPDATE ${table} SET ${column} = '0' WHERE ${column} >= pg_snapshot_xmax(pg_current_snapshot())`;
    await connection.query({ text, isLong: true });
  }
}

/**
 * How far ids go on in another era: beyond those that a failover to a standby may have lost. Each planned failover leaves as many ids
 * out, so that they are fewer than `lostAtMost`.
 */
const idsLostAtMost = 1000;
