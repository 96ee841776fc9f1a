import { StoreOutcomeUnknown, StoreReadOnly } from "../../contract/errors.ts";
import type { StoredRecord } from "../../contract/store.ts";
import type { NewRecord, OutcomeOf, Write } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import {
  ConnectionLost,
  isCommitUncertain,
  isOutcomeUnknown,
  mayPass,
  sqlState,
  sqlStateOf,
} from "../connections/fault.ts";
import { type PostgresBatch, withRevision } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";

/** The result of work in a transaction, and the batch to store. */
export interface Decision<T> {
  readonly result: T;
  /** Undefined where nothing is to be stored. */
  readonly batch: PostgresBatch | undefined;
}

/**
 * Does work on a collection in a transaction, stores its result, and commits. An error of the work, or a failed commit, undoes
 * everything.
 *
 * Takes two round trips: the beginning is sent together with the first reads of the work, and the commit together with the statements
 * that store the result.
 *
 * @param counted makes the result with the revisions of the records that were stored, by their ids
 * @throws StoreOutcomeUnknown when the connection breaks after the commit is sent, or when the engine cannot say whether it
 *   committed
 */
export async function transact<T>(
  connection: PostgresConnection,
  changes: PostgresChanges,
  work: () => Promise<Decision<T>>,
  counted: (result: T, revisions: ReadonlyMap<number, number>) => T = (result) => result,
): Promise<T> {
  let isCommitted = false;
  try {
    const [, { result, batch }] = await Promise.all([connection.begin(), work()]);
    if (batch === undefined) {
      await connection.query({ text: "ROLLBACK" });
      return result;
    }
    isCommitted = true;
    const [revisions] = await Promise.all([changes.write(connection, batch), commit(connection)]);
    return counted(result, revisions);
  } catch (error) {
    throw await failed(connection, error, isCommitted);
  }
}

/** Ends a transaction that has failed, and returns the error to throw. */
async function failed(connection: PostgresConnection, error: unknown, isCommitted: boolean): Promise<unknown> {
  if (isCommitted && isOutcomeUnknown(error)) return commitUncertain(error);
  // A standby may be promoted, and its era must be known before it is changed: another connection looks again.
  if (error instanceof StoreReadOnly || sqlStateOf(error) === sqlState.readOnly) connection.destroy();
  if (connection.isUsable) await rollBack(connection);
  return error;
}

/**
 * Creates records, each that conflicts with nothing, in one transaction: two round trips, of which the second is the commit. Returns
 * undefined for each that was not stored.
 *
 * @throws as `transact` does
 */
export function create(
  connection: PostgresConnection,
  changes: PostgresChanges,
  records: readonly NewRecord[],
): Promise<readonly (StoredRecord | undefined)[]> {
  return committed(connection, async () => {
    const [, created] = await Promise.all([connection.begin(), changes.create(connection, records)]);
    return created;
  });
}

/**
 * Does work that begins a transaction, and commits it. An error of the work, or a failed commit, undoes everything.
 *
 * @throws as `transact` does
 */
export async function committed<R>(
  connection: PostgresConnection,
  work: () => Promise<R>,
  commitIt: (commit: () => Promise<void>) => Promise<void> = (commit) => commit(),
): Promise<R> {
  let isCommitted = false;
  try {
    const result = await work();
    isCommitted = true;
    await commitIt(() => commit(connection));
    return result;
  } catch (error) {
    throw await failed(connection, error, isCommitted);
  }
}

/** Returns outcomes with the revisions that the server has counted. */
export const withRevisions = (
  outcomes: readonly OutcomeOf<Write>[],
  revisions: ReadonlyMap<number, number>,
): readonly OutcomeOf<Write>[] => outcomes.map((outcome) => withRevision(outcome, revisions));

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

/**
 * Returns whether a transaction can be repeated: nothing was committed. After a violation, the next attempt sees the value or lacks the
 * owner that another transaction stored or removed meanwhile.
 */
export function mayBeRepeated(error: unknown): boolean {
  return error instanceof ConnectionLost || mayPass(error) || isViolation(error);
}

const isViolation = (error: unknown): boolean => {
  const state = sqlStateOf(error);
  return state === sqlState.uniqueViolation || state === sqlState.foreignKeyViolation;
};
