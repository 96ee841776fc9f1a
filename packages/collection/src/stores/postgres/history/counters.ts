import { historyLost, StoreHistoryLost } from "../../contract/errors.ts";
import { ownedBy, ownersFirst } from "../../table/definition.ts";
import { columnsChanged } from "../../table/filled-columns.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import type { PostgresPool } from "../connections/pool.ts";
import { dueShape } from "../table/columns.ts";
import type { PartitionedCollection } from "../table/partitions.ts";
import { digestOf, quoteName, quoteText, toArrayText } from "../table/sql.ts";
import { KnownCounters, type PartitionCounters, type PartitionsCounters, type SealsAt } from "./known-counters.ts";
import { type Ask, PostgresSeals } from "./seals.ts";

/** The partitions that a transaction locks. */
export interface WantedPartitions {
  /** Those that it waits for: one, or all of them. */
  readonly awaited?: Partitions | undefined;
  /** Those that it locks where no other transaction holds them. */
  readonly free?: Exclude<Partitions, "every">;
}

/** All partitions, the one with the least next id, so that ids stay close together, or these. */
type Partitions = "every" | "least" | readonly number[];

export const everyPartition: WantedPartitions = { awaited: "every" };

/** The counters of a collection's partitions. A program that changes records holds the lock of their partition. */
export class PostgresCounters {
  /** How many partitions the collection has. */
  readonly partitions: number;
  readonly #collection: string;
  readonly #columns: string;
  /** The collections that it owns, directly or through others, in the order in which every program locks them. */
  readonly #owned: readonly string[];
  readonly #history: KnownCounters;
  readonly #seals: PostgresSeals;
  #reporting: Promise<void> | undefined;

  /** @param collections all collections of the database */
  constructor(definition: PartitionedCollection, collections: readonly PartitionedCollection[]) {
    const { name, partitions = 1 } = definition;
    this.partitions = partitions;
    this.#collection = name;
    this.#history = new KnownCounters();
    this.#seals = new PostgresSeals(name);
    this.#columns = `${counterColumns}, form = ${quoteText(digestOf(dueShape(definition)))}`;
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
  ): Promise<PartitionsCounters> {
    const { known } = this.#history;
    const locking: Promise<readonly LockedRow[]>[] = [];
    if (awaited === "every" || this.partitions === 1) locking.push(this.#lock(connection, "every"));
    else {
      if (awaited !== undefined) locking.push(this.#lock(connection, awaited));
      if (free.length > 0) locking.push(this.#lock(connection, free, " SKIP LOCKED"));
    }
    const owned = isRemoving ? this.#owned.map((name) => this.#lock(connection, "every", "", name)) : [];
    const rows = (await Promise.all([...locking, ...owned])).slice(0, locking.length).flat();
    this.#assertSame(rows);
    if (this.partitions === 1 && rows.length === 0) {
      throw new Error(`The collection ${this.#collection} is gone from the database`);
    }
    const held = toCounters(rows);
    const isLost = await this.#history.hasLost(held, known, false, this.#sealsAt(connection.query.bind(connection)));
    if (isLost) throw historyLost(this.#collection);
    return held;
  }

  /** @throws StoreUnavailable (rejects) as `lock` does */
  async assertShape(ask: Ask): Promise<void> {
    const text = `SELECT ${this.#columns} FROM waymark_collections WHERE name = $1`;
    this.#assertSame(await ask<LockedRow>({ text, values: [this.#collection] }));
  }

  #assertSame(rows: readonly LockedRow[]): void {
    const isSame = rows.every((row) => row.at(-1) === "t");
    if (!isSame) throw columnsChanged(this.#collection);
  }

  /**
   * Reads the counters without a lock. Says whether changes that this program knows are lost; those that a server lacks which takes no
   * changes are not, because it may be behind another one.
   */
  async read(ask: Ask): Promise<SeenCounters> {
    const { known } = this;
    const rows = await ask<UnlockedRow>({
      name: "waymark counters",
      text: `SELECT ${unlockedColumns} FROM waymark_collections WHERE name = $1 ORDER BY partition`,
      values: [this.#collection],
    });
    return this.compare(rows, known, ask);
  }

  /** What this program knows now, for `compare` with counters that are read later. */
  get known(): PartitionsCounters {
    return this.#history.known;
  }

  /** Compares as `read` does the counters that a statement has read beside records: see `countersText`. */
  async compare(rows: readonly UnlockedRow[], known: PartitionsCounters, ask: Ask): Promise<SeenCounters> {
    const counters = toCounters(rows);
    const mayLag = rows[0]?.[5] === "on";
    return { counters, isLost: await this.#history.hasLost(counters, known, mayLag, this.#sealsAt(ask)) };
  }

  /**
   * Makes every program refuse changes until the database is resumed, where this program has found that changes are lost. A server
   * that only was the primary once has lost some, too: only the one that takes changes now decides.
   */
  async reportLoss(pool: PostgresPool): Promise<void> {
    if (!this.#history.isLossNew) return;
    this.#reporting ??= pool
      .use((connection) => this.#refuse(connection))
      .catch(() => undefined) // the loss is found again by the next read
      .finally(() => {
        this.#reporting = undefined;
      });
    await this.#reporting;
  }

  async #refuse(connection: PostgresConnection): Promise<void> {
    await connection.inTransaction(async () => {
      try {
        await this.lock(connection, everyPartition, false);
      } catch (error) {
        if (!(error instanceof StoreHistoryLost)) throw error;
        await connection.query({ text: "UPDATE waymark_collections SET epoch = -epoch WHERE epoch > 0" });
      }
    });
    this.#history.isLossNew = false;
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
   * Reserves ids in a transaction of its own, for records that another transaction stores later. Returns the counters of all
   * partitions, from which they are assigned.
   *
   * @param assigned how many ids are assigned
   * @param named the greatest id that a client has chosen for one of the records
   */
  async reserve(
    connection: PostgresConnection,
    { assigned, named }: { readonly assigned: number; readonly named: number },
  ): Promise<PartitionsCounters> {
    return connection.inTransaction(async () => {
      const held = await this.lock(connection, everyPartition, false);
      const lastId = Math.max(...Array.from(held.values(), (counters) => counters.lastId));
      await connection.query({
        text: "UPDATE waymark_collections SET last_id = $2 WHERE name = $1 AND last_id < $2",
        values: [this.#collection, Math.max(lastId, named) + assigned],
      });
      return new Map(Array.from(held, ([partition, counters]) => [partition, { ...counters, lastId }]));
    });
  }

  /** Stores the new counters of held partitions. */
  async put(connection: PostgresConnection, changed: PartitionsCounters): Promise<void> {
    await Promise.all(
      Array.from(changed, ([partition, counters]) =>
        this.#seals.isDue(connection, partition)
          ? this.#seals.put(connection, partition, counters)
          : connection.query({
              name: "waymark count",
              text: "UPDATE waymark_collections SET revision = $3, last_id = $4 WHERE name = $1 AND partition = $2",
              values: [this.#collection, partition, counters.lastRevision, counters.lastId],
            }),
      ),
    );
  }

  /** Takes the counters of a transaction that was committed. */
  committed(connection: PostgresConnection, held: PartitionsCounters): void {
    this.#history.keep(this.#seals.committed(connection, held));
  }

  /** Must be called when a transaction was not committed. */
  rolledBack(connection: PostgresConnection): void {
    this.#seals.rolledBack(connection);
  }

  #sealsAt(ask: Ask): SealsAt {
    return (revisions) => this.#seals.at(ask, revisions);
  }

  #lock(
    connection: PostgresConnection,
    which: Partitions,
    otherwise: "" | " SKIP LOCKED" = "",
    collection: string = this.#collection,
  ): Promise<readonly LockedRow[]> {
    const count = this.partitions;
    const [what, choice] = {
      every: ["", "ORDER BY partition"],
      least: ["least of ", `ORDER BY last_id + (partition - (last_id + 1) % ${count} + ${count}) % ${count} LIMIT 1`],
      these: ["these of ", "AND partition = ANY($2) ORDER BY partition"],
    }[typeof which === "string" ? which : "these"];
    return connection.query<LockedRow>({
      name: `waymark lock ${what}${quoteName(this.#collection)}${otherwise}`,
      text: `SELECT ${this.#columns} FROM waymark_collections WHERE name = $1 ${choice} FOR UPDATE${otherwise}`,
      values: typeof which === "string" ? [collection] : [collection, toArrayText(which)],
    });
  }
}

/** Counters that were read without a lock. */
export interface SeenCounters {
  readonly counters: PartitionsCounters;
  /** Whether changes that this program knows are lost. */
  readonly isLost: boolean;
}

/**
 * Makes the expression for the counters of a collection as one text, for a statement that reads its records: so both are of one state
 * of one server.
 *
 * @param name the parameter that has the name of the collection
 */
export const countersText = (name: string): string =>
  `(SELECT string_agg(concat_ws(' ', ${unlockedColumns}), ',' ORDER BY partition) FROM waymark_collections WHERE name = ${name})`;

/** Reads the text of `countersText`; it is null where the collection is gone. */
export const parseCounters = (text: string | null): readonly UnlockedRow[] =>
  text?.split(",").map((row) => row.split(" ") as unknown as UnlockedRow) ?? []; // the expression has these columns

/** The counters of a partition, and whether the server takes no changes. */
export type UnlockedRow = readonly [...counters: CountersRow, readOnly: string];

/** The columns that each locking statement reads. */
type LockedRow = readonly [...counters: CountersRow, isSame: string];

type CountersRow = readonly [partition: string, revision: string, lastId: string, seal: string, epoch: string];

const counterColumns = "partition, revision, last_id, seal, epoch";

const unlockedColumns = `${counterColumns}, current_setting('transaction_read_only')`;

const toCounters = (rows: readonly (readonly [...CountersRow, ...unknown[]])[]): PartitionsCounters =>
  new Map(
    rows.map(([partition, revision, lastId, seal, epoch]): readonly [number, PartitionCounters] => [
      Number(partition),
      { lastRevision: Number(revision), lastId: Number(lastId), seal: Number(seal), epoch: Number(epoch) },
    ]),
  );
