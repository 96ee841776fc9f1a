import type { PostgresConnection } from "./postgres-connection.ts";
import { PostgresPool } from "./postgres-pool.ts";

/** The connections of a database, divided so that no kind of work takes those that another one needs. */
export interface PostgresPools {
  /** For single records, counters and checks, which take a moment each. */
  readonly records: PostgresPool;
  readonly changes: PostgresPool;
  /** For lists, which may take long. */
  readonly lists: PostgresPool;
}

/** The least number of connections that can be divided. */
export const leastPoolSize = 3;

export function dividePool(size: number, patience: number, open: () => Promise<PostgresConnection>): PostgresPools {
  const pool = (share: number): PostgresPool => new PostgresPool({ open, size: share, queueLimit: 1000, patience });
  const records = size < 6 ? 1 : 2;
  const changes = Math.max(1, Math.floor((size - records) / 2));
  return { records: pool(records), changes: pool(changes), lists: pool(size - records - changes) };
}
