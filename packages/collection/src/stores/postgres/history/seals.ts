import { mostSealsKept, newSeal } from "../../seals.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import type { Statement } from "../connections/session.ts";
import { toArrayText } from "../table/sql.ts";
import type { PartitionCounters, PartitionsCounters } from "./known-counters.ts";

/**
 * The seals of a collection: random numbers by which programs tell one history from another. A connection leaves its seal beside the
 * counters of a partition with its first commit there, and in a table with the first revision of that commit. A database can only go back
 * to an older state while no connection is open. So the first change after that has a new seal, at a revision at which programs
 * that know the lost changes know another one.
 */
export class PostgresSeals {
  readonly #collection: string;
  readonly #sessions = new WeakMap<PostgresConnection, Session>();

  constructor(collection: string) {
    this.#collection = collection;
  }

  /** Returns whether the connection has not left its seal in the partition yet. */
  isDue(connection: PostgresConnection, partition: number): boolean {
    return !this.#sessionOf(connection).partitions.has(partition);
  }

  /** Stores the new counters of a partition with the seal of the connection. */
  async put(
    connection: PostgresConnection,
    partition: number,
    { lastRevision, lastId }: PartitionCounters,
  ): Promise<void> {
    const { seal, partitions, uncommitted } = this.#sessionOf(connection);
    partitions.add(partition);
    uncommitted.add(partition);
    const values = [this.#collection, partition];
    await Promise.all([
      connection.query({
        // The table has the counters of before the update.
        text: `WITH counted AS (
            UPDATE waymark_collections SET revision = $3, last_id = $4, seal = $5 WHERE name = $1 AND partition = $2
              RETURNING name, partition, seal
          )
          INSERT INTO waymark_seals (collection, partition, revision, seal)
            SELECT name, partition, before.revision + 1, counted.seal
            FROM counted JOIN waymark_collections AS before USING (name, partition)`,
        values: [...values, lastRevision, lastId, seal],
      }),
      connection.query({
        text: `DELETE FROM waymark_seals WHERE collection = $1 AND partition = $2 AND revision < (
            SELECT revision FROM waymark_seals WHERE collection = $1 AND partition = $2
              ORDER BY revision DESC OFFSET ${mostSealsKept - 1} LIMIT 1
          )`,
        values,
      }),
    ]);
  }

  /** Returns the counters of a committed transaction with the seals that they have now. */
  committed(connection: PostgresConnection, held: PartitionsCounters): PartitionsCounters {
    const { seal, uncommitted } = this.#sessionOf(connection);
    const sealed = new Map(Array.from(uncommitted, (partition) => [partition, seal]));
    uncommitted.clear();
    return new Map(
      Array.from(held, ([partition, counters]) => [
        partition,
        { ...counters, seal: sealed.get(partition) ?? counters.seal },
      ]),
    );
  }

  /** Must be called when the transaction of the connection was not committed. */
  rolledBack(connection: PostgresConnection): void {
    const { partitions, uncommitted } = this.#sessionOf(connection);
    for (const partition of uncommitted) partitions.delete(partition);
    uncommitted.clear();
  }

  /** Reads the seals that were in force at revisions, as `SealsAt` says. */
  async at(ask: Ask, revisions: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, number | undefined>> {
    const rows = await ask<readonly [partition: string, seal: string | null]>({
      text: `SELECT asked.partition, (
          SELECT seal FROM waymark_seals
            WHERE collection = $1 AND partition = asked.partition AND revision <= asked.revision ORDER BY revision DESC LIMIT 1
        ) FROM unnest($2::integer[], $3::bigint[]) AS asked (partition, revision)`,
      values: [this.#collection, toArrayText([...revisions.keys()]), toArrayText([...revisions.values()])],
    });
    return new Map(rows.map(([partition, seal]) => [Number(partition), seal === null ? undefined : Number(seal)]));
  }

  #sessionOf(connection: PostgresConnection): Session {
    let session = this.#sessions.get(connection);
    if (session === undefined) {
      session = { seal: newSeal(), partitions: new Set(), uncommitted: new Set() };
      this.#sessions.set(connection, session);
    }
    return session;
  }
}

/** Sends a statement to a server. */
export type Ask = <Row extends readonly (string | null)[]>(statement: Statement) => Promise<Row[]>;

interface Session {
  readonly seal: number;
  /** The partitions in which the connection has left its seal. */
  readonly partitions: Set<number>;
  /** Those of them in which it left it within its present transaction. */
  readonly uncommitted: Set<number>;
}
