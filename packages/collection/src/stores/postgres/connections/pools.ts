import type { PostgresConnection } from "./connection.ts";
import { PostgresPool } from "./pool.ts";

/** The connections of a database, divided so that no kind of work takes the connections that another kind needs. */
export interface PostgresPools {
  /** For single records, counters and checks, which take a moment each. */
  readonly records: PostgresPool;
  readonly changes: PostgresPool;
  /** For requests that change many records, which hold one until their documents have come. */
  readonly bulk: PostgresPool;
  /** For lists, which may take long. */
  readonly lists: PostgresPool;
}

/** How many connections there are for requests that change many records, beside those that are divided. */
const mostBulk = 2;

/** The least number of connections that can be divided. */
export const leastPoolSize = 3;

export function dividePool(size: number, patience: number, open: () => Promise<PostgresConnection>): PostgresPools {
  const pool = (share: number): PostgresPool => new PostgresPool(share, patience, open);
  const records = size < 6 ? 1 : 2;
  const changes = Math.max(1, Math.floor((2 * (size - records)) / 3));
  return {
    records: pool(records),
    changes: pool(changes),
    bulk: pool(mostBulk),
    lists: pool(size - records - changes),
  };
}
