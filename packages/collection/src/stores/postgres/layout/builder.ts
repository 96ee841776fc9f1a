import { setTimeout as elapse } from "node:timers/promises";
import type { StoredCollection } from "../../../database.ts";
import { StoreNotReady } from "../../contract/errors.ts";
import type { Selection } from "../../contract/selection.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import { comparedColumns, indexesOf } from "../table/columns.ts";
import { quoteText } from "../table/sql.ts";
import { type Filling, fill, fillingOf, noteUse } from "./filling.ts";
import { makeIndexesBeside, presentIndexes } from "./indexes.ts";

/** Makes what the tables of a database lack of the definitions, one program at a time, while all of them change records. */
export interface PostgresBuilder {
  /**
   * Makes what must be there before records are stored and read: unique indexes, and what other versions have left out.
   *
   * @throws UnusableDatabase (rejects) when two records share a value that must be unique
   */
  begin(): Promise<void>;
  /**
   * Makes the rest, and fills what older versions change, until `stop`.
   *
   * @param lend lends a connection for what takes a moment
   */
  goOn(lend?: UseConnection): void;
  /** Makes the rest now. */
  finish(): Promise<void>;
  /** @throws StoreNotReady when the selection is by something that not all records are filled with yet */
  assertReady(collection: string, selection: Selection): void;
  /** Ends what it does, also an index that waits for the transactions of others: the next look makes it again. */
  stop(): Promise<void>;
}

type UseConnection = <T>(use: (connection: PostgresConnection) => Promise<T>) => Promise<T>;

/** What a collection lacks of its definition. */
interface Lack extends Filling {
  /** Whether its records are filled, but for some that another version may have changed since. */
  readonly isFilled: boolean;
  readonly lacksUnique: boolean;
  readonly lacksIndex: boolean;
}

/** @param open opens a connection whose statements may take long */
export function postgresBuilder(
  collections: readonly StoredCollection[],
  open: () => Promise<PostgresConnection>,
): PostgresBuilder {
  /** The keys by which the records of collections can be selected, where these are not all. */
  const ready = new Map<string, ReadonlySet<string>>();
  const columns = new Map(collections.map((definition) => [definition.name, comparedColumns(definition)]));
  /** Those whose records were all filled, and are filled again where another version changes one. */
  const done = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const connections = new Set<PostgresConnection>();
  let working: Promise<void> | undefined;
  let lend: UseConnection = (use) => withConnection(use);

  /** Looks what a collection lacks. */
  const look = async (connection: PostgresConnection, definition: StoredCollection): Promise<Lack> => {
    const filling = await fillingOf(connection, definition);
    const isFilled = filling.isDone || done.has(definition.name);
    if (isFilled) ready.delete(definition.name);
    else ready.set(definition.name, filling.ready);
    const present = await presentIndexes(connection, definition);
    const missing = indexesOf(definition).filter(({ name }) => present.get(name) !== true);
    const lacksUnique = missing.some(({ unique }) => unique !== undefined);
    return { ...filling, isFilled, lacksUnique, lacksIndex: missing.length > 0 };
  };

  const build = async (
    connection: PostgresConnection,
    definitions: readonly StoredCollection[],
    areUnique: boolean,
  ): Promise<void> => {
    for (const definition of definitions) {
      if (isStopped) return;
      await fill(connection, definition);
      await makeIndexesBeside(connection, definition, areUnique);
      await fill(connection, definition); // what was changed meanwhile, which may have been long
      done.add(definition.name);
      ready.delete(definition.name);
    }
  };

  /**
   * Does work that one program does at a time. The lock is that of a transaction of its own, so that a pooler can be in front. It is not
   * waited for within a statement, which would have a snapshot: an index that is made beside changes waits for all of these.
   */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    await withConnection(async (guard) => {
      for (let isHeld = false; !isHeld && !isStopped; ) {
        await guard.begin();
        const [[got] = []] = await guard.query({
          text: `SELECT pg_try_advisory_xact_lock(hashtextextended(${lockOfSchema}, 0))`,
        });
        isHeld = got === "t";
        if (isHeld) {
          await guard.query({ text: "SET LOCAL idle_in_transaction_session_timeout = 0" });
          await work();
        }
        await guard.query({ text: "ROLLBACK" });
        if (!isHeld) await elapse(200);
      }
    });
  };

  const withConnection = async <T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
    const connection = await open();
    connections.add(connection);
    try {
      return await use(connection);
    } finally {
      connections.delete(connection);
      await connection.close();
    }
  };

  /**
   * Builds the collections that lack something.
   *
   * @param use lends a connection to look what that is
   * @param areUnique whether only unique indexes are made
   */
  const buildDue = async (use: UseConnection, isDue: (lack: Lack) => boolean, areUnique: boolean): Promise<void> => {
    const due = await use(async (connection) => {
      const [[readOnly] = []] = await connection.queryAlone({
        text: "SELECT current_setting('transaction_read_only')",
      });
      if (readOnly === "off") await noteUse(connection, collections);
      const found: StoredCollection[] = [];
      for (const definition of collections) {
        const lack = await look(connection, definition);
        if (readOnly === "on") continue;
        if (isDue(lack)) found.push(definition);
        // What another version has changed since; two programs may do this at once.
        else if (!lack.isDone && lack.isFilled) await fill(connection, definition);
      }
      return found;
    });
    if (due.length > 0) await withConnection((connection) => alone(() => build(connection, due, areUnique)));
  };

  const turn = (): Promise<void> => buildDue(lend, ({ isFilled, lacksIndex }) => !isFilled || lacksIndex, false);

  /** The next look. What fails now is tried again then: until it is done, lists say so. */
  const schedule = (delay: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      working = turn()
        .catch(() => undefined)
        .finally(() => schedule(pause));
    }, delay);
    timer.unref();
  };

  return {
    begin: () =>
      buildDue(withConnection, ({ lacksUnique, wasDone, isDone }) => lacksUnique || (wasDone && !isDone), true),
    goOn(use = lend) {
      isStopped = false;
      lend = use;
      schedule(0);
    },
    async finish() {
      await working;
      await turn();
    },
    assertReady(collection, { filters = [], order = [], words: sought = [] }) {
      const keys = ready.get(collection);
      if (keys === undefined) return;
      const isReady = (member: string): boolean => {
        const key = columns.get(collection)?.get(member)?.key;
        return key === undefined || keys.has(key);
      };
      const unready = [...filters, ...order].find(({ member }) => !isReady(member));
      if (unready !== undefined) throw notYet(`by ${unready.member}`);
      if (sought.length > 0 && !isReady("")) throw notYet("for words");
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      for (const connection of connections) connection.destroy();
      await working;
    },
  };
}

const notYet = (what: string): StoreNotReady =>
  new StoreNotReady(
    `Records are being prepared so that they can be selected ${what}. Try again later, or leave that out.`,
  );

const lockOfSchema = `${quoteText("waymark builder ")} || current_schema`;

/** In milliseconds. */
const pause = 10_000;
