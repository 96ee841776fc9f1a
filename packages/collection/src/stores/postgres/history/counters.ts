import type { StoredCollection } from "../../../database.ts";
import { ownedBy, ownersFirst } from "../../table/definition.ts";
import { columnsChanged } from "../../table/filled-columns.ts";
import type { Counters } from "../../writing/decide.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import type { Statement } from "../connections/session.ts";
import { dueShape } from "../table/columns.ts";
import { digestOf, quoteName, quoteText } from "../table/sql.ts";

/** Sends a statement to a server. */
export type Ask = <Row extends readonly (string | null)[]>(statement: Statement) => Promise<Row[]>;

/** The counters of a collection. A program that changes records holds their lock. */
export class PostgresCounters {
  readonly #collection: string;
  readonly #columns: string;
  /** The collections that it owns, directly or through others, in the order in which every program locks them. */
  readonly #owned: readonly string[];

  /** @param collections all collections of the database */
  constructor(definition: StoredCollection, collections: readonly StoredCollection[]) {
    const { name } = definition;
    this.#collection = name;
    this.#columns = `revision, last_id, form = ${quoteText(digestOf(dueShape(definition)))}`;
    const owned = new Set(ownedBy(name, collections));
    const inOrder = ownersFirst(collections.toSorted((one, other) => (one.name < other.name ? -1 : 1)));
    this.#owned = inOrder.map((each) => each.name).filter((each) => owned.has(each));
  }

  /**
   * Locks the counters until the transaction ends, and reads them. Every change begins with this: so the changes are decided one after
   * another, whichever program makes them, and the revisions are in the order of the commits. A transaction that removes records locks
   * the counters of the owned collections, too; all programs do so in the same order.
   *
   * @param isRemoving whether the transaction may remove records
   * @throws StoreUnavailable (rejects) when another program has given the table another shape, which this one cannot fill
   */
  async lock(connection: PostgresConnection, isRemoving: boolean): Promise<Counters> {
    const locking = this.#lock(connection, this.#collection);
    const owned = isRemoving ? this.#owned.map((name) => this.#lock(connection, name)) : [];
    const [rows] = await Promise.all([locking, ...owned]);
    this.#assertSame(rows);
    const [row] = rows;
    if (row === undefined) throw new Error(`The collection ${this.#collection} is gone from the database`);
    return { lastRevision: Number(row[0]), lastId: Number(row[1]) };
  }

  /** @throws StoreUnavailable (rejects) as `lock` does */
  async assertShape(ask: Ask): Promise<void> {
    const text = `SELECT ${this.#columns} FROM waymark_collections WHERE name = $1`;
    this.#assertSame(await ask<CountersRow>({ text, values: [this.#collection] }));
  }

  #assertSame(rows: readonly CountersRow[]): void {
    if (rows.some(([, , isSame]) => isSame !== "t")) throw columnsChanged(this.#collection);
  }

  /** Reads the last revision without a lock. */
  async revision(ask: Ask): Promise<number> {
    const [[revision] = [0]] = await ask<readonly [string]>({
      name: "waymark revision",
      text: "SELECT revision FROM waymark_collections WHERE name = $1",
      values: [this.#collection],
    });
    return Number(revision);
  }

  /**
   * Keeps the table from getting another shape until the transaction ends, and waits for other transactions that do so. Other changes
   * go on.
   */
  async holdForm(connection: PostgresConnection): Promise<void> {
    await connection.query({
      text: "SELECT 1 FROM waymark_forms WHERE name = $1 FOR UPDATE",
      values: [this.#collection],
    });
  }

  /**
   * Reserves ids in a transaction of its own, for records that another transaction stores later. Returns the counters, from which they
   * are assigned.
   *
   * @param assigned how many ids are assigned
   * @param named the greatest id that a client has chosen for one of the records
   */
  async reserve(
    connection: PostgresConnection,
    { assigned, named }: { readonly assigned: number; readonly named: number },
  ): Promise<Counters> {
    return connection.inTransaction(async () => {
      const held = await this.lock(connection, false);
      await connection.query({
        text: "UPDATE waymark_collections SET last_id = $2 WHERE name = $1 AND last_id < $2",
        values: [this.#collection, Math.max(held.lastId, named) + assigned],
      });
      return held;
    });
  }

  /** Stores the new counters. */
  async put(connection: PostgresConnection, { lastRevision, lastId }: Counters): Promise<void> {
    await connection.query({
      name: "waymark count",
      text: "UPDATE waymark_collections SET revision = $2, last_id = $3 WHERE name = $1",
      values: [this.#collection, lastRevision, lastId],
    });
  }

  #lock(connection: PostgresConnection, collection: string): Promise<readonly CountersRow[]> {
    return connection.query<CountersRow>({
      name: `waymark lock ${quoteName(this.#collection)}`,
      text: `SELECT ${this.#columns} FROM waymark_collections WHERE name = $1 FOR UPDATE`,
      values: [collection],
    });
  }
}

/** Makes the expression for the revision of a collection, for a statement that reads its records: so both are of one state. */
export const revisionOf = (name: string): string => `(SELECT revision FROM waymark_collections WHERE name = ${name})`;

type CountersRow = readonly [revision: string, lastId: string, isSame: string];
