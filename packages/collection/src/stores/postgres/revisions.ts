import type { PostgresPool } from "./pool.ts";
import type { Statement } from "./session.ts";
import { QueryTurns } from "./turns.ts";

/**
 * Reads the last revisions of the partitions of a collection. One query answers all requests of one turn of the event loop, or those
 * that arrive while other queries run. It is sent after each of them has arrived, so each sees every change that was answered before.
 */
export class PostgresRevisions {
  readonly #pool: PostgresPool;
  readonly #statement: Statement;
  readonly #turns = new QueryTurns(
    () => this.#send(),
    () => this.#asked !== undefined,
  );
  /** What the next query answers. */
  #asked: PromiseWithResolvers<readonly number[]> | undefined;

  constructor(pool: PostgresPool, collection: string) {
    this.#pool = pool;
    this.#statement = {
      name: "waymark revisions",
      text: "SELECT revision FROM waymark_collections WHERE name = $1 ORDER BY partition",
      values: [collection],
    };
  }

  /** Returns the last revision of each partition, in order. */
  read(): Promise<readonly number[]> {
    this.#asked ??= Promise.withResolvers();
    const { promise } = this.#asked;
    this.#turns.schedule();
    return promise;
  }

  async #send(): Promise<void> {
    const asked = this.#asked;
    this.#asked = undefined;
    try {
      const rows = await this.#pool.read<readonly [revision: string]>(this.#statement);
      asked?.resolve(rows.map(([revision]) => Number(revision)));
    } catch (error) {
      asked?.reject(error);
    }
  }
}
