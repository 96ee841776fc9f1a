import type { PostgresPool } from "../connections/pool.ts";
import { querySchedule } from "../connections/query-schedule.ts";
import type { PostgresCounters } from "./counters.ts";

/**
 * Returns what reads the last revision of a collection. One query answers all requests of one turn of the event loop, or those that
 * arrive while other queries run. It is sent after each of them has arrived, so each sees every change that was answered before.
 */
export function postgresRevision(pool: PostgresPool, counters: PostgresCounters): () => Promise<number> {
  const schedule = querySchedule(
    () => send(),
    () => asked !== undefined,
  );
  /** What the next query answers. */
  let asked: PromiseWithResolvers<number> | undefined;

  const send = async (): Promise<void> => {
    const answered = asked;
    asked = undefined;
    try {
      answered?.resolve(await counters.revision((statement) => pool.read(statement)));
    } catch (error) {
      answered?.reject(error);
    }
  };

  return () => {
    asked ??= Promise.withResolvers();
    const { promise } = asked;
    schedule();
    return promise;
  };
}
