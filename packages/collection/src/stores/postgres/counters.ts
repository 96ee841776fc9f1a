import type { CollectionDefinition } from "../../database.ts";
import { StoreHistoryLost } from "../../store-errors.ts";
import type { Counters } from "../decide.ts";
import { ownedBy, ownersFirst } from "../definition.ts";
import { columnsChanged } from "../filled-columns.ts";
import { dueShape } from "./columns.ts";
import type { PostgresConnection } from "./connection.ts";
import { quoteName, quoteText, toArrayText } from "./sql.ts";

/** The partitions that a transaction has locked, each with its counters. */
export type HeldPartitions = ReadonlyMap<number, Counters>;

/** The partitions that a transaction locks. */
export interface WantedPartitions {
  /** The partitions that it waits for: the one with the least next id, all of them, or this one. */
  readonly awaited?: "least" | "every" | number | undefined;
  /** The partitions that it locks where no other transaction holds them: the free one with the least next id, or these. */
  readonly free?: "least" | readonly number[];
}

export const everyPartition: WantedPartitions = { awaited: "every" };

/** The counters of a collection's partitions. A program that changes records holds the lock of their partition. */
export class PostgresCounters {
  /** How many partitions the collection has. */
  readonly partitions: number;
  readonly #collection: string;
  readonly #columns: string;
  /** The collections that it owns, directly or through others, in the order in which every program locks them. */
  readonly #owned: readonly string[];
  /** The greatest counters of each partition that this program has seen committed. */
  readonly #seen = new Map<number, Counters>();

  /** @param collections all collections of the database */
  constructor(definition: CollectionDefinition, collections: readonly CollectionDefinition[]) {
    const { name, partitions = 1 } = definition;
    this.partitions = partitions;
    this.#collection = name;
    this.#columns = `partition, revision, last_id, form = ${quoteText(dueShape(definition))}`;
    const owned = new Set(ownedBy(name, collections));
    const inOrder = ownersFirst(collections.toSorted((one, other) => (one.name < other.name ? -1 : 1)));
    this.#owned = inOrder.map((each) => each.name).filter((each) => owned.has(each));
  }

  /**
   * Locks partitions until the transaction ends, and reads their counters. Every change begins with this: so the changes of a
   * partition are decided one after another, whichever program makes them, and its revisions are in the order of the commits.
   *
   * A transaction waits for at most one partition, before it holds any, and otherwise locks only free ones: so no two transactions
   * wait for each other. A transaction that removes records then waits for every partition of the owned collections, because owned
   * records may be counted in any of them; all programs lock these in the same order.
   *
   * @param isRemoving whether the transaction may remove records
   * @throws StoreUnavailable (rejects) when another program has given the table another shape, which this one cannot fill;
   *   StoreHistoryLost when committed changes are gone
   */
  async lock(
    connection: PostgresConnection,
    { awaited, free = [] }: WantedPartitions,
    isRemoving: boolean,
  ): Promise<HeldPartitions> {
    const locking: Promise<readonly CountersRow[]>[] = [];
    if (awaited === "every" || this.partitions === 1) locking.push(this.#lockAll(connection, this.#collection));
    else {
      if (awaited === "least") locking.push(this.#lockLeast(connection, ""));
      if (typeof awaited === "number") locking.push(this.#lockThese(connection, [awaited], ""));
      if (free === "least") locking.push(this.#lockLeast(connection, " SKIP LOCKED"));
      else if (free.length > 0) locking.push(this.#lockThese(connection, free, " SKIP LOCKED"));
    }
    const owned = isRemoving ? this.#owned.map((name) => this.#lockAll(connection, name)) : [];
    const rows = (await Promise.all([...locking, ...owned])).slice(0, locking.length);
    const held = new Map<number, Counters>();
    for (const [partition, revision, lastId, isSame] of rows.flat()) {
      if (isSame !== "t") throw columnsChanged(this.#collection);
      held.set(Number(partition), { lastRevision: Number(revision), lastId: Number(lastId) });
    }
    if (this.partitions === 1 && held.size === 0) {
      throw new Error(`The collection ${this.#collection} is gone from the database`);
    }
    this.see(held);
    return held;
  }

  /**
   * Records committed counters.
   *
   * @throws StoreHistoryLost when they are behind the counters that were committed before
   */
  see(committed: HeldPartitions): void {
    for (const [partition, counters] of committed) {
      const seen = this.#seen.get(partition);
      if (seen !== undefined && (counters.lastRevision < seen.lastRevision || counters.lastId < seen.lastId)) {
        throw new StoreHistoryLost(
          `The database has gone back to an older state of ${this.#collection}: committed changes are gone`,
        );
      }
      this.#seen.set(partition, counters);
    }
  }

  /** Reads the counters, and records them as `see` does. */
  async look(connection: PostgresConnection): Promise<void> {
    const rows = await connection.queryAlone<readonly [partition: string, revision: string, lastId: string]>({
      text: "SELECT partition, revision, last_id FROM waymark_collections WHERE name = $1",
      values: [this.#collection],
    });
    const toCounters = (revision: string, lastId: string): Counters => {
      return { lastRevision: Number(revision), lastId: Number(lastId) };
    };
    this.see(new Map(rows.map(([partition, ...counters]) => [Number(partition), toCounters(...counters)])));
  }

  /** Stores the new counters of a held partition. */
  put(connection: PostgresConnection, partition: number, counters: Counters): Promise<unknown> {
    return connection.query({
      name: "waymark count",
      text: "UPDATE waymark_collections SET revision = $3, last_id = $4 WHERE name = $1 AND partition = $2",
      values: [this.#collection, partition, counters.lastRevision, counters.lastId],
    });
  }

  #lockAll(connection: PostgresConnection, collection: string): Promise<readonly CountersRow[]> {
    return connection.query<CountersRow>({
      name: `waymark lock ${quoteName(this.#collection)}`,
      text: `SELECT ${this.#columns} FROM waymark_collections WHERE name = $1 ORDER BY partition FOR UPDATE`,
      values: [collection],
    });
  }

  #lockThese(
    connection: PostgresConnection,
    partitions: readonly number[],
    otherwise: "" | " SKIP LOCKED",
  ): Promise<readonly CountersRow[]> {
    return connection.query<CountersRow>({
      name: `waymark lock these of ${quoteName(this.#collection)}${otherwise}`,
      text: `SELECT ${this.#columns} FROM waymark_collections WHERE name = $1 AND partition = ANY($2)
        ORDER BY partition FOR UPDATE${otherwise}`,
      values: [this.#collection, toArrayText(partitions)],
    });
  }

  /** Locks the partition with the least next id, so that ids stay close together. */
  #lockLeast(connection: PostgresConnection, otherwise: "" | " SKIP LOCKED"): Promise<readonly CountersRow[]> {
    const count = this.partitions;
    return connection.query<CountersRow>({
      name: `waymark lock least of ${quoteName(this.#collection)}${otherwise}`,
      text: `SELECT ${this.#columns} FROM waymark_collections WHERE name = $1
        ORDER BY last_id + (partition - (last_id + 1) % ${count} + ${count}) % ${count} LIMIT 1 FOR UPDATE${otherwise}`,
      values: [this.#collection],
    });
  }
}

/** The columns that each locking statement reads. */
type CountersRow = readonly [partition: string, revision: string, lastId: string, isSame: string];
