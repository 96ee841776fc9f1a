import { StoreOutcomeUnknown } from "../../contract/errors.ts";
import type { Counters } from "../../writing/decide.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { isCommitUncertain, isOutcomeUnknown } from "../connections/fault.ts";
import type { PostgresBatch } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";

/** The result of work in a transaction, and the batch to store. */
export interface Decision<T> {
  readonly result: T;
  readonly batch: PostgresBatch | undefined;
  /** The counters to store with the batch. Default: those that the batch has changed. */
  readonly counters?: Counters | undefined;
}

/**
 * Does work on a collection in a transaction, stores its result, and commits. The work begins with locking the counters. An error of
 * the work, or a failed commit, undoes everything.
 *
 * Takes two round trips: the statements for the locks are sent together with the first reads of the work, and the commit together
 * with the statements that store the result.
 *
 * @throws StoreOutcomeUnknown when the connection breaks after the commit is sent, or when the engine cannot say whether it
 *   committed
 */
export async function transact<T>(
  connection: PostgresConnection,
  changes: PostgresChanges,
  work: () => Promise<Decision<T>>,
): Promise<T> {
  let isCommitted = false;
  try {
    // Each statement must see the changes that were committed before the locks were taken.
    const begun = connection.begin();
    const [, { result, batch, counters }] = await Promise.all([begun, work()]);
    if (batch !== undefined && !batch.isUnchanged) {
      isCommitted = true;
      await Promise.all([changes.write(connection, batch, counters ?? batch.counters), commit(connection)]);
    } else {
      await connection.query({ text: "ROLLBACK" });
    }
    return result;
  } catch (error) {
    if (isCommitted && isOutcomeUnknown(error)) throw commitUncertain(error);
    if (connection.isUsable) await rollBack(connection);
    throw error;
  }
}

async function commit(connection: PostgresConnection): Promise<void> {
  try {
    await connection.query({ text: "COMMIT" });
  } catch (error) {
    throw isCommitUncertain(error) ? commitUncertain(error) : error;
  }
}

const commitUncertain = (cause: unknown): StoreOutcomeUnknown =>
  new StoreOutcomeUnknown("The connection to the database broke in the midst of a commit", { cause });

/** Rolls back the transaction, and waits for the statements that were sent before. */
async function rollBack(connection: PostgresConnection): Promise<void> {
  try {
    await connection.query({ text: "ROLLBACK" });
  } catch {
    connection.destroy(); // whatever state it is in: the server undoes what is not committed
  }
}
