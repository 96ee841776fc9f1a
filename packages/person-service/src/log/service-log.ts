import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Database } from "@waymark/collection";
import { noRoomChannel } from "@waymark/collection/internal";
import type { RouterOptions } from "waymark";
import type { ServiceObserver, TurnedAway } from "../observer.ts";
import { changeLog } from "./changes.ts";
import { type DatabaseWatch, watchDatabase } from "./database-watch.ts";
import { denialLog } from "./denials.ts";
import { faultLog } from "./faults.ts";
import type { Log, LogLevel } from "./log.ts";
import { requestLines } from "./request-lines.ts";

/** Logs what a service does. */
export interface ServiceLog {
  readonly observer: ServiceObserver;
  readonly onFault: NonNullable<RouterOptions["onFault"]>;
  /** To be called when a client speaks plain HTTP to the port for HTTPS. */
  readonly onPlainHttp: () => void;
  /** Starts to log changes of the database's state. */
  watch(database: Database): void;
  /** Writes the remaining entries. */
  close(): void;
}

/** Logs the faults, denials and changes of state of a service; and its requests, if the log has them. */
export function logService(log: Log): ServiceLog {
  const denials = denialLog((event, members) => log.write("warn", event, undefined, members));
  const changes = changeLog(log);
  const lines = log.hasRequests ? requestLines(log) : undefined;
  const turnedAway: Readonly<Record<TurnedAway, () => void>> = {
    delay: watchRefusals(log, "overload", "requests wait too long for the processor, and some are answered 503"),
    "in-flight": watchRefusals(log, "overload", "too many requests are in progress, and some are answered 503"),
    quota: watchRefusals(log, "quota-exceeded", "a client has used up its quota, and its requests are answered 429"),
  };
  const onNoRoom = watchRefusals(log, "no-room", "there is no room for temporary files, and imports are answered 503");
  subscribe(noRoomChannel, onNoRoom);
  let watch: DatabaseWatch | undefined;
  return {
    observer: {
      ...lines?.observer,
      filters: [lines?.filter, changes].filter((filter) => filter !== undefined),
      onUnavailable: (error) => watch?.onUnavailable(error),
      onTurnedAway: (cause) => turnedAway[cause](),
      onFeedHeld({ pid, database, prepared }) {
        const holder = prepared === null ? `process ${pid ?? "unknown"}` : `the prepared transaction ${prepared}`;
        const message = `followers wait for a transaction that is still open: ${holder}, database ${database ?? "unknown"}`;
        log.write("warn", "feed-held", message, { pid, database, prepared });
      },
      onDenial: denials.add,
    },
    onFault: faultLog(log),
    onPlainHttp: watchRefusals(log, "plain-http", "a client speaks HTTP to the port for HTTPS", 60_000, "info"),
    watch(database) {
      watch = watchDatabase(log, () => database.check());
    },
    close() {
      watch?.close();
      unsubscribe(noRoomChannel, onNoRoom);
      denials.flush();
    },
  };
}

/**
 * Makes a function to call for each request that is refused for one reason, such as overload. It logs once that requests are being
 * refused, and once that this has ended, with their number.
 *
 * @param quiet how long no request must be refused until it has ended, in milliseconds
 * @param level of the first entry
 */
export function watchRefusals(
  log: Log,
  event: string,
  message: string,
  quiet = 5000,
  level: LogLevel = "warn",
): () => void {
  let count = 0;
  let last = 0;
  let since = 0;
  const end = (): void => {
    const rest = last + quiet - performance.now();
    if (rest > 0) {
      setTimeout(end, rest).unref();
      return;
    }
    const seconds = Math.round((last - since) / 100) / 10;
    log.write("info", `${event}-over`, `${message}: over after ${seconds} s`, { refused: count, seconds });
    count = 0;
  };
  return () => {
    last = performance.now();
    if (++count > 1) return;
    since = last;
    log.write(level, event, message);
    setTimeout(end, quiet).unref();
  };
}
