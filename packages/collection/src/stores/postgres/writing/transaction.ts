import { StoreOutcomeUnknown, StoreReadOnly, StoreUnavailable } from "../../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../../contract/observer.ts";
import type { StoredRecord } from "../../contract/store.ts";
import type { NewRecord } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import {
  ConnectionLost,
  isCommitUncertain,
  isOutcomeUnknown,
  mayPass,
  readOnly,
  sqlState,
  sqlStateOf,
  throwStoreFault,
} from "../connections/fault.ts";
import { attempt, type PostgresPool } from "../connections/pool.ts";
import type { PostgresBatch } from "./batch.ts";
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
async function committed<R>(
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

/** How the transactions of other people's work are made. */
interface TransactionOptions {
  readonly pool: PostgresPool;
  /** In milliseconds: how long the work may wait for something else. */
  readonly longestWait: number;
  readonly onCommit: DatabaseObserver["onCommit"];
}

/** Does work in a transaction, and again in another one where it may be repeated. */
type Transact = <R>(work: (connection: PostgresConnection) => Promise<R>, mayRepeat: () => boolean) => Promise<R>;

/**
 * Makes transactions that see and change the database as if each were alone. One that met another is undone and made again, with no other
 * such transaction beside it, so that it meets changes of single records only, which take a moment. For a while they are then all made one
 * after another: with 32 callers that move something between 20 records, that makes three times as many (78 and 267 a second).
 */
export function postgresTransactions({ pool, longestWait, onCommit }: TransactionOptions): Transact {
  /** Until when none begins beside others, as `performance.now()` counts. */
  let aloneUntil = 0;

  const begin = async (connection: PostgresConnection, isAlone: boolean): Promise<void> => {
    const begun = connection.begin("ISOLATION LEVEL SERIALIZABLE");
    const prepared = Promise.all([
      // Before anything is read, which decides what the transaction sees.
      connection.query({ text: `LOCK TABLE waymark_era IN ${isAlone ? "EXCLUSIVE" : "ROW SHARE"} MODE` }),
      // The program ends it before.
      connection.query({ text: `SET LOCAL idle_in_transaction_session_timeout = ${longestWait + 20_000}` }),
    ]);
    prepared.catch(() => undefined); // the first statement is to say what is wrong
    await begun.catch((error: unknown) => {
      // A standby does not have this level of isolation.
      throw sqlStateOf(error) === sqlState.notSupported ? readOnly(error) : error;
    });
    await prepared;
  };

  return <R>(work: (connection: PostgresConnection) => Promise<R>, mayRepeat: () => boolean) => {
    let isRepeated = false;
    const make = (): Promise<R> =>
      pool.use((connection) =>
        committed(
          connection,
          async () => {
            await begin(connection, isRepeated || performance.now() < aloneUntil);
            return work(connection);
          },
          (commit) => reportedCommit(onCommit, 1, commit),
        ),
      );
    const isWorthIt = (error: unknown): boolean => {
      // It may have been committed, whatever broke the connection.
      if (error instanceof StoreOutcomeUnknown || !mayRepeat()) return false;
      if (!mayBeRepeated(error instanceof StoreUnavailable ? error.cause : error)) return false;
      isRepeated = true;
      aloneUntil = performance.now() + alone;
      return true;
    };
    return attempt(5, make, isWorthIt).catch(throwStoreFault);
  };
}

/** In milliseconds. */
const alone = 200;
