import type { StatementSync } from "node:sqlite";

/**
 * Has statements run beside full text: each tells the row that was inserted last, and FTS5 inserts rows of its own, some of
 * whose numbers are too great for a number of JavaScript, for which the statement would throw.
 */
export function tellAnyRowid(...statements: readonly StatementSync[]): void {
  for (const statement of statements) statement.setReadBigInts(true);
}
