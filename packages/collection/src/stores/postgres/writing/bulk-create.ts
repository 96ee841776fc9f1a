import { StoreNotEmpty, StoreUnavailable } from "../../contract/errors.ts";
import type { BulkChange } from "../../contract/store.ts";
import { BulkReader, type BulkSource, BulkTally } from "../../writing/bulk-source.ts";
import { isNew, type Write } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { sqlState, sqlStateOf } from "../connections/fault.ts";
import type { PostgresPool } from "../connections/pool.ts";
import type { PostgresBatch } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";
import { type Decision, transact } from "./transaction.ts";

/**
 * Makes many changes, all or none, in one transaction and in constant memory. Others change the collection meanwhile: only a change
 * of the same records, or with one of the same unique values, waits.
 *
 * @throws StoreNotEmpty (rejects) when there are records despite `onlyIfEmpty`; StoreUnavailable when the documents stop arriving;
 *   errors of the source are passed on
 */
export async function bulkCreate(
  pool: PostgresPool,
  changes: PostgresChanges,
  source: BulkSource,
): Promise<BulkChange> {
  const reader = new BulkReader(source);
  try {
    const first = await reader.next();
    return await pool.use((connection) =>
      transact(connection, changes, () => storeSteps({ connection, changes, source }, first, reader)),
    );
  } catch (error) {
    if (sqlStateOf(error) !== sqlState.uniqueViolation) throw error;
    throw new StoreUnavailable("Another change has stored one of the ids or unique values meanwhile", { cause: error });
  } finally {
    reader.stop();
  }
}

interface BulkRequest {
  /** The connection of the transaction. */
  readonly connection: PostgresConnection;
  readonly changes: PostgresChanges;
  readonly source: BulkSource;
}

/** Decides all steps, and stores all but the last one. */
async function storeSteps(
  { connection, changes, source }: BulkRequest,
  first: readonly Write[],
  reader: BulkReader,
): Promise<Decision<BulkChange>> {
  // Documents may take longer to arrive than the server lets a transaction wait for statements.
  const begun = [connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = '20s'" })];
  // Of several programs that are to store only where there is nothing, one does.
  if (source.onlyIfEmpty)
    begun.push(connection.query({ text: "SELECT pg_advisory_xact_lock($1)", values: [emptyLock] }));
  await Promise.all(begun);
  // Others must not be given the ids that the documents name: they wait.
  if (first.some((write) => isNew(write) && write.id !== undefined)) await changes.keepOthersOut(connection);
  const assertEmpty = async (): Promise<void> => {
    if (source.onlyIfEmpty && !(await changes.isEmpty(connection, source.owner))) {
      throw new StoreNotEmpty("The collection has records");
    }
  };
  await assertEmpty();
  const tally = new BulkTally();
  let batch: PostgresBatch | undefined;
  for (let step = first; step.length > 0; step = await reader.next()) {
    if (batch !== undefined) await changes.write(connection, batch);
    batch = await changes.read(connection, step);
    for (const write of step) {
      tally.add(batch.apply(write));
      if (tally.isDecided) return { result: tally.outcome, batch: undefined };
    }
  }
  await assertEmpty();
  const result = tally.outcome;
  return { result, batch: result.kind === "created" ? batch : undefined };
}

/** The number of the lock of those who store only where there is nothing. */
const emptyLock = 7_391_846_201;
