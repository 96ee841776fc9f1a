import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The statements that were used last, prepared; their rows are arrays. */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined && this.#statements.size >= capacity) this.#statements.delete(oldest);
    } else {
      this.#statements.delete(sql); // and put last
    }
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Clients choose the order and the filters, and so how many statements there are. */
const capacity = 100;

/**
 * Reads row ids as BigInt. FTS5 inserts internal rows with ids from 2^53 on, and node:sqlite would throw on these when a
 * statement that changes something returns the row that was inserted last.
 */
export function readRowidsAsBigInt(...statements: readonly StatementSync[]): void {
  for (const statement of statements) statement.setReadBigInts(true);
}
