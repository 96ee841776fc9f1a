import { randomInt } from "node:crypto";
import type { PostgresPools } from "../connections/pool.ts";
import { querySchedule } from "../connections/query-schedule.ts";
import type { PostgresCounters, SeenCounters, UnlockedRow } from "./counters.ts";
import type { Ask } from "./seals.ts";

/**
 * Reads the last revisions of the partitions of a collection. One query answers all requests of one turn of the event loop, or those
 * that arrive while other queries run. It is sent after each of them has arrived, so each sees every change that was answered before.
 */
export class PostgresRevisions {
  readonly #pools: PostgresPools;
  readonly #counters: PostgresCounters;
  readonly #schedule = querySchedule(
    () => this.#send(),
    () => this.#asked !== undefined,
  );
  /** What the next query answers. */
  #asked: PromiseWithResolvers<readonly number[]> | undefined;

  constructor(pools: PostgresPools, counters: PostgresCounters) {
    this.#pools = pools;
    this.#counters = counters;
  }

  /**
   * Returns the last revision of each partition, in order. While changes are lost, a random number follows them: the revisions may have
   * been those of another state.
   */
  read(): Promise<readonly number[]> {
    this.#asked ??= Promise.withResolvers();
    const { promise } = this.#asked;
    this.#schedule();
    return promise;
  }

  async #send(): Promise<void> {
    const asked = this.#asked;
    this.#asked = undefined;
    try {
      asked?.resolve(await this.#read());
    } catch (error) {
      asked?.reject(error);
    }
  }

  /** Starts to read revisions beside records. Returns what completes that: it returns the revisions as `read` does. */
  beside(): (counters: readonly UnlockedRow[]) => Promise<readonly number[]> {
    const { known } = this.#counters;
    return async (rows) => this.#complete(await this.#counters.compare(rows, known, this.#ask));
  }

  async #read(): Promise<readonly number[]> {
    return this.#complete(await this.#counters.read(this.#ask));
  }

  readonly #ask: Ask = (statement) => this.#pools.records.read(statement);

  async #complete({ counters, isLost }: SeenCounters): Promise<readonly number[]> {
    const revisions = Array.from(counters.values(), ({ lastRevision }) => lastRevision);
    if (!isLost) return revisions;
    await this.#counters.reportLoss(this.#pools.changes);
    return [...revisions, randomInt(2 ** 47)];
  }
}
