import { destination, type Level, pino, stdTimeFunctions } from "pino";
import { prettyLine } from "./pretty.ts";

/**
 * What is logged: `events` of the service; `requests`, which adds a line for each request; of the events only `warnings` and errors, or
 * `errors`; or nothing.
 */
export type LogDetail = "requests" | "events" | "warnings" | "errors" | "off";

const levels: Readonly<Record<LogDetail, Level | "silent">> = {
  requests: "info",
  events: "info",
  warnings: "warn",
  errors: "error",
  off: "silent",
};

/** The level of an entry. A log has the entries of its own level and of more important ones. */
export type LogLevel = Extract<Level, "info" | "warn" | "error">;

/** The log of the service: a line of JSON for each entry, as pino writes it, or a line for a person at a terminal. */
export interface Log {
  /** Whether it has a line for each request. */
  readonly hasRequests: boolean;
  /**
   * Writes an entry. It never throws: a log that cannot be written to does not stop the service.
   *
   * @param event the kind of entry, for programs, such as `start`
   * @param message the same for people; undefined where the members say it
   * @param members further facts, without secrets, content or query values
   */
  write(level: LogLevel, event: string, message: string | undefined, members?: object): void;
  /** Writes buffered entries. Must be called before the process ends. */
  flush(): void;
}

export interface LogOptions {
  /** Default: `events`. */
  readonly detail?: LogDetail | undefined;
  /** Whether lines are for a person to read. Default: when standard error is a terminal. */
  readonly isPretty?: boolean | undefined;
  /** Receives each line, with its line end. Default: standard error. */
  readonly output?: LogOutput | undefined;
}

/** Where the lines of a log go. */
export interface LogOutput {
  write(line: string): void;
  flush(): void;
}

/**
 * Opens a log.
 *
 * ```ts
 * const log = openLog({ detail: "requests" });
 * log.write("info", "start", "listens on http://127.0.0.1:8080");
 * // {"level":"info","time":"2026-06-15T12:00:00.000Z","pid":4711,"event":"start","msg":"listens on http://127.0.0.1:8080"}
 * ```
 */
export function openLog(options: LogOptions = {}): Log {
  const { detail = "events", isPretty = process.stderr.isTTY } = options;
  const { output = standardError(detail === "requests") } = options;
  const colors = isPretty && process.env["NO_COLOR"] === undefined;
  const logger = pino(
    {
      level: levels[detail],
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: isPretty ? (line) => output.write(prettyLine(line, colors)) : (line) => output.write(toAscii(line)) },
  );
  return {
    hasRequests: detail === "requests" && logger.isLevelEnabled("info"),
    write: (entryLevel, event, message, members) => logger[entryLevel]({ event, ...members }, message),
    flush: () => output.flush(),
  };
}

/**
 * Buffers a log of requests, which would otherwise need a system call for each line. Writes other entries at once, so that a crash
 * loses none.
 */
function standardError(isBuffered: boolean): LogOutput {
  const file = destination({
    fd: 2,
    ...(isBuffered ? { minLength: 8192, periodicFlush: 100, sync: false } : { sync: true }),
  });
  file.on("error", () => undefined); // its reader has gone, or its disk is full
  return {
    write: (line) => void file.write(line),
    flush() {
      try {
        file.flushSync();
      } catch {
        // As above.
      }
    },
  };
}

/** Escapes non-ASCII characters in a line of JSON, whose value stays the same: no character can imitate another. */
const toAscii = (line: string): string =>
  line.replace(/[^ -~\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
