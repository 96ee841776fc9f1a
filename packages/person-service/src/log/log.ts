import { destination, type Level, pino } from "pino";
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
  /**
   * Returns what writes entries that have these members in common, whose text is made once; it takes those of each entry, which
   * come first.
   */
  writer(level: LogLevel, event: string, common: object): (members: object) => void;
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
  const { output = standardErrorOf(detail === "requests") } = options;
  const colors = isPretty && process.env["NO_COLOR"] === undefined;
  const write = (line: string): void => output.write(isPretty ? prettyLine(line, colors) : line);
  const logger = pino(
    {
      level: levels[detail],
      base: { pid: process.pid },
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(toAscii(line)) },
  );
  return {
    hasRequests: detail === "requests" && logger.isLevelEnabled("info"),
    write: (entryLevel, event, message, members) => logger[entryLevel]({ event, ...members }, message),
    writer(entryLevel, event, common) {
      if (!logger.isLevelEnabled(entryLevel)) return () => undefined;
      const [start, end] = [`{"level":"${entryLevel}"`, toAscii(`,"pid":${process.pid},"event":"${event}"`)];
      const rest = membersOf(common);
      // As pino makes it, which takes 4 µs for the line of a request.
      return (members) => write(`${start}${timestamp()}${end}${membersOf(members)}${rest}}\n`);
    },
    flush: () => output.flush(),
  };
}

const stamp = { time: Number.NaN, text: "" };

/** Returns the present time as a member that follows others. Its text is made once a millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== stamp.time) Object.assign(stamp, { time: now, text: `,"time":"${new Date(now).toISOString()}"` });
  return stamp.text;
}

/** Returns the members as they follow others in a text of JSON, which is ASCII. */
function membersOf(members: object): string {
  const text = toAscii(JSON.stringify(members)).slice(1, -1);
  return text === "" ? "" : `,${text}`;
}

/** Those of the process, by whether they are buffered. */
const standardErrors = new Map<boolean, LogOutput>();

function standardErrorOf(isBuffered: boolean): LogOutput {
  const output = standardErrors.get(isBuffered) ?? standardError(isBuffered);
  standardErrors.set(isBuffered, output);
  return output;
}

/**
 * Writes the entries of a turn of the event loop at its end, with one call of the system, so that what is answered in later turns is
 * in the log. A log of requests is written when there is enough, or after a while.
 */
function standardError(isBuffered: boolean): LogOutput {
  const file = destination({ fd: 2, sync: !isBuffered, maxLength: mostKept });
  // Its reader has gone, or its disk is full.
  let isBroken = false;
  file.on("error", () => {
    isBroken = true;
  });
  file.on("write", () => {
    isBroken = false;
  });
  // Gathered here: for each line, the destination would look through all that it has.
  let gathered = "";
  const hand = (): void => {
    const text = gathered;
    gathered = "";
    try {
      if (text !== "") file.write(text);
    } catch {
      // It has ended, as the process does.
    }
  };
  const flush = (): void => {
    hand();
    try {
      // It would try again for ever, also when the process ends.
      if (isBroken) file.destroy();
      else file.flushSync();
    } catch {
      // As above.
    }
  };
  if (isBuffered) setInterval(hand, longestWait).unref();
  process.once("beforeExit", flush); // after which the destination ends
  process.once("exit", flush); // also after a fault
  return {
    write(line) {
      if (gathered === "" && !isBuffered) setImmediate(hand);
      gathered += line;
      if (isBuffered && gathered.length >= enoughAtOnce) hand();
    },
    flush,
  };
}

/** In characters. */
const enoughAtOnce = 8_192;
/** What waits for a full disk, in bytes; what comes then is not in the log. */
const mostKept = 4_194_304;
/** In milliseconds. */
const longestWait = 100;

/** Escapes non-ASCII characters in a line of JSON, whose value stays the same: no character can imitate another. */
const toAscii = (line: string): string =>
  line.replace(/[^ -~\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
