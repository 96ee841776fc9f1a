import { type Store, StoreReadTimeout, StoreUnavailable } from "@waymark/collection";
import { wording } from "waymark/internal";

/** Where a command reads and writes. */
export interface CommandStreams {
  /** Reads all of standard input. */
  readInput(): Promise<Uint8Array>;
  /** Writes data on standard output, as it is. */
  write(data: string): void;
  /** Prints a message on standard output: a line without passwords, in which no character can imitate another. */
  print(line: string): void;
  /** Prints a message on standard error. */
  printNote(line: string): void;
  /** Replaces the text that was drawn before; undefined where standard error is not a terminal. */
  readonly draw?: ((text: string) => void) | undefined;
}

/** Resolves when all that was printed is out of the process, or with false when it cannot be written, which the program reports. */
export const isPrinted = (): Promise<boolean> =>
  new Promise((resolve) => process.stdout.write("", (error) => resolve(!error)));

/** Reports progress. */
export type Report = (done: number, total: number, unit: string) => void;

/** Reports progress as a bar on a terminal, and as a line for each tenth elsewhere. */
export function reportProgress({ printNote, draw }: Pick<CommandStreams, "printNote" | "draw">): Report {
  let tenth = -1;
  return (done, total, unit) => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const count = unit === "%" ? `${done} %` : `${done} of ${total} ${unit}`;
    if (draw !== undefined) draw(`${bar(share)} ${count}`);
    else if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10);
      printNote(count);
    }
  };
}

/** Draws on a terminal, and only there, how far a transfer is, how fast and how long it will take. */
export function drawProgress(
  { draw }: Pick<CommandStreams, "draw">,
  elapsed: () => number = () => performance.now(),
): (share: number, people: number) => void {
  if (draw === undefined) return () => undefined;
  const start = elapsed();
  let last = Number.NEGATIVE_INFINITY;
  return (share, people) => {
    const now = elapsed();
    if (now - last < interval && share < 1) return;
    last = now;
    const seconds = (now - start) / 1000;
    const rate = seconds > 0 ? Math.round(people / seconds) : 0;
    const left = share > 0 && share < 1 ? `, ${duration((seconds / share) * (1 - share))} left` : "";
    const text = `${countPeople(people)}, ${wording.withCommas(rate)}/s${left}`;
    draw(`${bar(share)} ${Math.floor(share * 100)} % ${text}`);
  };
}

/**
 * Counts all people; undefined where that takes too long, as among millions in PostgreSQL.
 *
 * @param patience in milliseconds
 */
export async function countSoon(people: Store, patience = 1000): Promise<number | undefined> {
  try {
    return await people.count({}, { signal: AbortSignal.timeout(patience) });
  } catch (error) {
    if (error instanceof StoreReadTimeout || error instanceof StoreUnavailable) return undefined;
    throw error;
  }
}

/** Returns `1 person`, or `1,234 people`. */
export const countPeople = (count: number): string =>
  count === 1 ? "1 person" : `${wording.withCommas(count)} people`;

/** In milliseconds. */
const interval = 100;

/** `1:05`, in minutes and seconds. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function bar(share: number): string {
  const filled = Math.floor(share * barLength);
  return `[${"#".repeat(filled)}${".".repeat(barLength - filled)}]`;
}

const barLength = 30;
