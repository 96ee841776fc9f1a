import { setTimeout as elapse } from "node:timers/promises";
import { type DatabaseState, StoreOutcomeUnknown, StoreUnavailable } from "@waymark/collection";
import type { Log } from "./log.ts";

/** Watches whether the database can be used. */
export interface DatabaseWatch {
  /** Called when an operation failed because the database could not be used. */
  readonly onUnavailable: (error: StoreUnavailable) => void;
  /** Ends the watch. */
  close(): void;
}

/**
 * Logs once that the database cannot be used, with the cause, and once that it can be used again. Checks the database every second
 * after an operation has failed. Of those that fail while the database can be used, such as an import that the disk has no room for,
 * one a second is logged.
 *
 * @param check resolves when the database can be used; rejects with StoreUnavailable when it cannot
 * @param interval in milliseconds
 */
export function watchDatabase(log: Log, check: () => Promise<DatabaseState>, interval = 1000): DatabaseWatch {
  const closing = new AbortController();
  let isWatching = false;

  const watch = async (error: StoreUnavailable): Promise<void> => {
    let cause = await causeOf(check);
    if (cause !== undefined && !closing.signal.aborted) {
      const since = performance.now();
      log.write("error", "database-unavailable", `the database cannot be used: ${cause}`, { cause });
      while (cause !== undefined) {
        await elapse(interval, undefined, { signal: closing.signal, ref: false });
        cause = await causeOf(check);
      }
      const seconds = Math.round((performance.now() - since) / 100) / 10;
      log.write("info", "database-available", `the database can be used again after ${seconds} s`, { seconds });
    } else {
      if (isOfDatabase(error)) {
        log.write("warn", "operation-failed", `an operation failed: ${error.message}`, { cause: error.message });
      }
      // However many operations fail, the database is checked once in this time.
      await elapse(interval, undefined, { signal: closing.signal, ref: false });
    }
  };

  return {
    onUnavailable(error) {
      if (isWatching || closing.signal.aborted) return;
      isWatching = true;
      // Rejects only when the watch is closed.
      watch(error).then(
        () => {
          isWatching = false;
        },
        () => undefined,
      );
    },
    close: () => closing.abort(),
  };
}

/** Whether the database itself refused: not for what clients ask too much of, or no longer wait for. */
const isOfDatabase = (error: StoreUnavailable): boolean =>
  error instanceof StoreOutcomeUnknown || (error.constructor === StoreUnavailable && error.cause !== undefined);

async function causeOf(check: () => Promise<DatabaseState>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error instanceof StoreUnavailable ? error.message : "the check of it fails";
  }
}
