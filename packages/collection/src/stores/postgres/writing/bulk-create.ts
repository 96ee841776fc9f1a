import { StoreNotEmpty, StoreUnavailable } from "../../contract/errors.ts";
import type { BulkCreation } from "../../contract/store.ts";
import { BulkReader, type BulkSource, makeAll } from "../../writing/bulk-source.ts";
import { isNew, type OutcomeOf, type Write } from "../../writing/write.ts";
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
): Promise<BulkCreation> {
  const reader = new BulkReader(source);
  try {
    return await pool.use((connection) =>
      transact(connection, changes, () => storeSteps({ connection, changes, source }, reader)),
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
  reader: BulkReader,
): Promise<Decision<BulkCreation>> {
  // Documents may take longer to arrive than the server lets a transaction wait for statements.
  const begun = [connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = '20s'" })];
  // Of several programs that are to store only where there is nothing, one does.
  if (source.onlyIfEmpty)
    begun.push(connection.query({ text: "SELECT pg_advisory_xact_lock($1)", values: [emptyLock] }));
  await Promise.all([...begun, lockLists(connection, source.locks)]);
  const assertEmpty = async (): Promise<void> => {
    if (source.onlyIfEmpty && !(await changes.isEmpty(connection, source.owner))) {
      throw new StoreNotEmpty("The collection has records");
    }
  };
  let batch: PostgresBatch | undefined;
  const make = async (step: readonly Write[]): Promise<readonly OutcomeOf<Write>[]> => {
    if (batch === undefined) {
      // Others must not be given the ids that the documents name: they wait.
      if (step.some((write) => isNew(write) && write.id !== undefined)) await changes.keepOthersOut(connection);
      await assertEmpty();
    } else await changes.write(connection, batch);
    const present = await changes.read(connection, step);
    batch = present;
    return step.map((write) => present.apply(write));
  };
  const result = await makeAll(changes.unique, () => reader.next(), make);
  await assertEmpty();
  const { isUndone, keyed } = source.end();
  if (result.kind !== "created" || isUndone) return { result, batch: undefined };
  if (keyed !== undefined) await changes.keep(connection, keyed);
  return { result, batch: batch ?? (keyed && (await changes.read(connection, []))) };
}

/** Waits until no other transaction has one of these locks of lists, which this one then has until it ends. */
export async function lockLists(connection: PostgresConnection, locks: readonly number[]): Promise<void> {
  const text = "SELECT pg_advisory_xact_lock($1, $2)";
  await Promise.all(locks.map((lock) => connection.query({ text, values: [listLock, lock] })));
}

/** The first number of the locks of lists. */
const listLock = 1_886_217_828;

/** The number of the lock of those who store only where there is nothing. */
const emptyLock = 7_391_846_201;
