import { randomInt } from "node:crypto";
import type { PostgresPools } from "../connections/pool.ts";
import { querySchedule } from "../connections/query-schedule.ts";
import type { PostgresCounters, SeenCounters, UnlockedRow } from "./counters.ts";
import type { Ask } from "./seals.ts";

/**
 * Reads the last revisions of the partitions of a collection. One query answers all requests of one turn of the event loop, or those
 * that arrive while other queries run. It is sent after each of them has arrived, so each sees every change that was answered before.
 */
export interface PostgresRevisions {
  /**
   * Returns the last revision of each partition, in order. While changes are lost, a random number follows them: the revisions may have
   * been those of another state.
   */
  read(): Promise<readonly number[]>;
  /** Starts to read revisions beside records. Returns what completes that: it returns the revisions as `read` does. */
  beside(): (counters: readonly UnlockedRow[]) => Promise<readonly number[]>;
}

export function postgresRevisions(pools: PostgresPools, counters: PostgresCounters): PostgresRevisions {
  const schedule = querySchedule(
    () => send(),
    () => asked !== undefined,
  );
  /** What the next query answers. */
  let asked: PromiseWithResolvers<readonly number[]> | undefined;
  const ask: Ask = (statement) => pools.records.read(statement);

  const send = async (): Promise<void> => {
    const answered = asked;
    asked = undefined;
    try {
      answered?.resolve(await complete(await counters.read(ask)));
    } catch (error) {
      answered?.reject(error);
    }
  };

  const complete = async ({ counters: seen, isLost }: SeenCounters): Promise<readonly number[]> => {
    const revisions = Array.from(seen.values(), ({ lastRevision }) => lastRevision);
    if (!isLost) return revisions;
    await counters.reportLoss(pools.changes);
    return [...revisions, randomInt(2 ** 47)];
  };

  return {
    read() {
      asked ??= Promise.withResolvers();
      const { promise } = asked;
      schedule();
      return promise;
    },
    beside() {
      const { known } = counters;
      return async (rows) => complete(await counters.compare(rows, known, ask));
    },
  };
}
