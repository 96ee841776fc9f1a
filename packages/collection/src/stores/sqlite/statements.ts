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
 * Has statements run beside full text: each tells the row that was inserted last, and FTS5 inserts rows of its own, some of
 * whose numbers are too great for a number of JavaScript, for which the statement would throw.
 */
export function tellAnyRowid(...statements: readonly StatementSync[]): void {
  for (const statement of statements) statement.setReadBigInts(true);
}
