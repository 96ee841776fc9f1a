import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/**
 * Resolves with the next message of a process that was forked.
 *
 * @throws Error (rejects) when the process ends before
 */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return unlessEnded(child, async (signal) => (await once(child, "message", { signal }))[0]);
}

/**
 * Resolves with what a process prints next on standard output, as text.
 *
 * @throws Error (rejects) when the process ends before
 */
export function nextOutput(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new TypeError("The standard output of the process is not a pipe");
  return unlessEnded(child, async (signal) => String((await once(stdout, "data", { signal }))[0]));
}

/** Waits for something of a process; its end is reported at once, where a test would wait until it takes too long. */
async function unlessEnded<T>(child: ChildProcess, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const { signal } = over;
  const ended = async (): Promise<never> => {
    if (child.exitCode === null && child.signalCode === null) await once(child, "close", { signal });
    throw new Error(`The process has ended (${child.signalCode ?? child.exitCode})`);
  };
  try {
    return await Promise.race([wait(signal), ended()]);
  } finally {
    over.abort();
  }
}
