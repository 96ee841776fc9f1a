import { type Log, type LogOptions, openLog } from "../../src/log/log.ts";
import type { LogEntry } from "../tools/programs/service-process.ts";

/** A log, and what was written to it. */
export interface RecordedLog {
  readonly log: Log;
  /** The lines as they were written. */
  readonly lines: readonly string[];
  readonly entries: () => readonly LogEntry[];
}

export function recordedLog(options: LogOptions = {}): RecordedLog {
  const lines: string[] = [];
  const output = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const log = openLog({ isPretty: false, ...options, output });
  return { log, lines, entries: () => lines.map((line): LogEntry => JSON.parse(line)) };
}
