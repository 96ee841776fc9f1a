import type { AccessDenial } from "../access/policy.ts";
import { lineBudget } from "./line-budget.ts";

/** Logs denials, and no more of them than a disk and a reader can take. */
export interface DenialLog {
  /**
   * Writes a line, or counts the denial where its client has had its lines for this minute. A request without credentials
   * is left out: that a client sends one first is how HTTP works.
   */
  add(denial: AccessDenial): void;
  /** Writes how many denials were counted, and begins another minute. */
  flush(): void;
}

/**
 * Makes a log in which a client has 20 lines a minute, one of them for attempts that were throttled, and all clients
 * together have 50 lines a second. A minute after its first line it writes how many more there were.
 *
 * ```text
 * {"level":"warn","time":"…","event":"refused","kind":"throttled","reason":"too many passwords","method":"GET","path":"/person/1",…}
 * {"level":"warn","time":"…","event":"refused-more","client":"192.0.2.1","count":4711}
 * {"level":"warn","time":"…","event":"refused-more","count":815}
 * ```
 *
 * Texts are cut after 200 characters.
 *
 * @param write takes an event with its members; must not throw
 */
export function denialLog(write: (event: "refused" | "refused-more", members: object) => void): DenialLog {
  const clients = new Map<string, ClientLines>();
  /** Refusals that are in no line, and counted for no client. */
  let uncounted = 0;
  let minute: NodeJS.Timeout | undefined;
  const budget = lineBudget(50, Date.now);

  const linesOf = (client: string): ClientLines | undefined => {
    const known = clients.get(client);
    if (known !== undefined || clients.size >= mostClients) return known;
    const lines = { written: 0, isThrottled: false, counted: 0 };
    clients.set(client, lines);
    return lines;
  };

  const flush = (): void => {
    clearTimeout(minute);
    minute = undefined;
    const counted = [...clients].filter(([, lines]) => lines.counted > 0);
    clients.clear();
    for (const [client, { counted: count }] of counted.toSorted(([, one], [, other]) => other.counted - one.counted)) {
      if (budget() !== undefined) write("refused-more", { client, count });
      else uncounted += count;
    }
    if (uncounted > 0) write("refused-more", { count: uncounted });
    uncounted = 0;
  };

  return {
    add(denial) {
      if (denial.reason === "no credentials") return;
      minute ??= setTimeout(flush, 60_000).unref();
      const lines = linesOf(denial.client);
      const isThrottled = denial.kind === "throttled";
      const isDue = lines === undefined || (lines.written < linesPerClient && !(isThrottled && lines.isThrottled));
      if (isDue && budget() !== undefined) {
        if (lines !== undefined) {
          lines.written++;
          lines.isThrottled ||= isThrottled;
        }
        write("refused", shortened(denial));
      } else if (lines !== undefined) lines.counted++;
      else uncounted++;
    },
    flush,
  };
}

const linesPerClient = 20;
const mostClients = 1000;
const longestText = 200;

/** What is written of a client in a minute. */
interface ClientLines {
  written: number;
  /** Whether a line says that it was throttled. */
  isThrottled: boolean;
  /** How many denials are in no line. */
  counted: number;
}

function shortened(denial: AccessDenial): object {
  const cut = (value: unknown): unknown =>
    typeof value === "string" && value.length > longestText ? `${value.slice(0, longestText)}...` : value;
  return Object.fromEntries(Object.entries(denial).map(([name, value]) => [name, cut(value)]));
}
