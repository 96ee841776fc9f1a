import { StoreOutcomeUnknown } from "../../store.ts";
import type { PostgresBatch } from "./postgres-batch.ts";
import type { CollectionLock, PostgresChanges } from "./postgres-changes.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { isOutcomeUnknown } from "./postgres-fault.ts";

/** What work in a transaction came to, and what is still to be stored of it. */
export interface Decision<T> {
  readonly result: T;
  readonly batch: PostgresBatch | undefined;
}

/**
 * Does work on a collection in a transaction that holds its lock, stores what it decides, and commits. What it throws, and
 * a commit that fails, undoes it all.
 *
 * Two round trips: what asks for the lock is sent together with what the work reads first, and the commit together with
 * what is stored.
 *
 * @param isRemoving whether it may remove records
 * @throws StoreOutcomeUnknown when the connection breaks after the commit is sent, or the engine cannot tell what became of it
 */
export async function transact<T>(
  connection: PostgresConnection,
  changes: PostgresChanges,
  isRemoving: boolean,
  work: (locking: Promise<CollectionLock>) => Promise<Decision<T>>,
): Promise<T> {
  let isCommitted = false;
  try {
    // Each statement must see what was committed before the lock was there.
    const begun = connection.query({ text: "BEGIN ISOLATION LEVEL READ COMMITTED" });
    const [, { result, batch }] = await Promise.all([begun, work(changes.lock(connection, isRemoving))]);
    if (batch !== undefined && !batch.isUnchanged) {
      isCommitted = true;
      await Promise.all([changes.write(connection, batch), connection.query({ text: "COMMIT" })]);
    } else {
      await connection.query({ text: "ROLLBACK" });
    }
    return result;
  } catch (error) {
    if (isCommitted && isOutcomeUnknown(error)) {
      throw new StoreOutcomeUnknown("The connection to the database broke in the midst of a commit", { cause: error });
    }
    if (connection.isUsable) await rollBack(connection);
    throw error;
  }
}

/** Also waits for the statements that were sent before. */
async function rollBack(connection: PostgresConnection): Promise<void> {
  try {
    await connection.query({ text: "ROLLBACK" });
  } catch {
    connection.destroy(); // whatever state it is in: the server undoes what is not committed
  }
}
