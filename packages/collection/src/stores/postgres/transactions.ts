import { StoreOutcomeUnknown, StoreUnavailable } from "../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../contract/observer.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { readOnly, sqlState, sqlStateOf, throwStoreFault } from "./connections/fault.ts";
import { attempt, type PostgresPool } from "./connections/pool.ts";
import { committed, mayBeRepeated } from "./writing/transaction.ts";

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
