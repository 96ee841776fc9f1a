import { andThen } from "waymark/internal";
import type { StoredCollection } from "../../database.ts";
import { StoreOutcomeUnknown, StoreUnavailable } from "../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../contract/observer.ts";
import type { Selection } from "../contract/selection.ts";
import type { TransactedEngine } from "../open-transaction.ts";
import { presentNames } from "../present-names.ts";
import { dependsOnNothing, type OutcomeOf, type Write } from "../writing/write.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { readOnly, sqlState, sqlStateOf, throwStoreFault, toStoreFault } from "./connections/fault.ts";
import { type Ask, attempt, type PostgresPool } from "./connections/pool.ts";
import type { Statement } from "./connections/session.ts";
import { postgresLists } from "./reading/lists.ts";
import { withRevision } from "./writing/batch.ts";
import { lockLists } from "./writing/bulk-create.ts";
import type { PostgresChanges } from "./writing/changes.ts";
import { keyedRecord } from "./writing/keys.ts";
import { committed, mayBeRepeated } from "./writing/transaction.ts";

/** Makes the engine of a collection within a transaction of a connection. */
export function postgresTransacted(
  connection: PostgresConnection,
  definition: StoredCollection,
  changes: PostgresChanges,
  assertReady: (selection: Selection) => void,
): TransactedEngine {
  const names = presentNames(definition.renamed);
  const ask: Ask = (statement) => connection.query(statement);
  const lists = postgresLists(
    {
      read: <Row extends readonly (string | null)[]>(statement: Statement, toFault = toStoreFault) =>
        connection.query<Row>(statement).catch((error: unknown) => {
          throw toFault(error);
        }),
    },
    definition,
  );
  const write = async (write: Write): Promise<OutcomeOf<Write>> => {
    // Records of an owner are removed with it, whose number nothing bounds.
    if (write.kind === "remove" && changes.isOwner) await ask({ text: "SET LOCAL statement_timeout = '1h'" });
    if (dependsOnNothing(write)) {
      const [record] = await changes.rows.create(connection, [write]);
      if (record !== undefined) return { kind: "created", record };
    }
    const batch = await changes.read(connection, [write]);
    const outcome = batch.apply(write);
    if (!batch.isUnchanged) return withRevision(outcome, await changes.write(connection, batch));
    changes.spare(batch);
    return outcome;
  };
  return {
    async find(id, owner) {
      const found = await changes.row(connection, id).catch(throwStoreFault);
      return owner === undefined || found?.owner === owner ? found?.record : undefined;
    },
    batch(selection, owner, options) {
      assertReady(selection);
      return andThen(lists.batch(selection, owner, options), names.batch);
    },
    count(selection, owner, options) {
      assertReady(selection);
      return lists.count(selection, owner, options);
    },
    keyed: (owner, key) => keyedRecord(ask, definition.name, owner, key).catch(throwStoreFault),
    write: <W extends Write>(each: W) => write(each).catch(throwStoreFault) as Promise<OutcomeOf<W>>, // the outcome of this very write
    keep: (keyed) => changes.keep(connection, keyed).catch(throwStoreFault),
    lock: (locks) => lockLists(connection, locks).catch(throwStoreFault),
  };
}

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
