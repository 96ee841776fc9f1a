import { andThen } from "waymark/internal";
import type { StoredCollection } from "../../database.ts";
import { StoreUnavailable } from "../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../contract/observer.ts";
import type { Selection } from "../contract/selection.ts";
import type { TransactedEngine } from "../open-transaction.ts";
import { presentNames } from "../present-names.ts";
import { dependsOnNothing, type OutcomeOf, type Write } from "../writing/write.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import { throwStoreFault, toStoreFault } from "./connections/fault.ts";
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
interface Transactions {
  readonly pool: PostgresPool;
  /** In milliseconds: how long the work may wait for something else. */
  readonly longestWait: number;
  readonly onCommit: DatabaseObserver["onCommit"];
}

/**
 * Does work in a transaction that sees and changes the database as if it were alone. One that met another is undone and made again; it
 * then lets no other such transaction run beside it, so that it meets changes of single records only, which take a moment.
 */
export async function transactAlone<R>(
  { pool, longestWait, onCommit }: Transactions,
  work: (connection: PostgresConnection) => Promise<R>,
  mayRepeat: () => boolean,
): Promise<R> {
  let made = 0;
  const begin = async (connection: PostgresConnection): Promise<void> => {
    const lock = made++ === 0 ? "ROW SHARE" : "EXCLUSIVE";
    await Promise.all([
      connection.begin("ISOLATION LEVEL SERIALIZABLE"),
      // Before anything is read, which decides what the transaction sees.
      connection.query({ text: `LOCK TABLE waymark_era IN ${lock} MODE` }),
      // The program ends it before.
      connection.query({ text: `SET LOCAL idle_in_transaction_session_timeout = ${longestWait + 20_000}` }),
    ]);
  };
  const make = (): Promise<R> =>
    pool.use((connection) =>
      committed(
        connection,
        async () => {
          await begin(connection);
          return work(connection);
        },
        (commit) => reportedCommit(onCommit, 1, commit),
      ),
    );
  const isWorthIt = (error: unknown): boolean =>
    mayRepeat() && mayBeRepeated(error instanceof StoreUnavailable ? error.cause : error);
  return attempt(5, make, isWorthIt).catch(throwStoreFault);
}
