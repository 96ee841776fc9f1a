import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Placement } from "./placement.ts";

/** A server in a process of its own, which is killed at the end of its scope. */
export interface ServerProcess extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  readonly url: string;
  /** The processor time that it has taken so far, in seconds; undefined where the system does not say. */
  processorTime(): Promise<number | undefined>;
  /** The bytes of memory that it has now, or the most that it has had; undefined where the system does not say. */
  residentMemory(): Promise<number | undefined>;
  peakMemory(): Promise<number | undefined>;
}

export interface ServerStart {
  readonly placement: Placement;
  /** Ends the process when it is aborted. */
  readonly signal: AbortSignal;
  /** What Node.js gets before the program. Default: it takes packages from their source. */
  readonly nodeOptions?: readonly string[];
}

/** Returns the program of a server of these benchmarks: its first argument is the database, others are those of ours. */
export const serverProgram = (name: string): URL => new URL(`servers/${name}.ts`, import.meta.url);

/**
 * Starts a server; resolves when it listens.
 *
 * @param program prints the port on which it listens, or its URL, in its first lines
 * @throws Error when the process ends, or has not said where it listens after a minute
 */
export async function startServer(
  program: URL,
  args: readonly string[],
  { placement, signal, nodeOptions = ["--conditions=@waymark/source"] }: ServerStart,
): Promise<ServerProcess> {
  const file = fileURLToPath(program);
  const placed = placement.place("server", process.execPath, [...nodeOptions, file, ...args]);
  signal.throwIfAborted();
  const child = spawn(...placed, { env: { ...process.env, NODE_ENV: "production" }, signal, killSignal: "SIGKILL" });
  const ended = new Promise<void>((resolve) => {
    // A process that could not be started closes too.
    child.once("close", () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  try {
    const url = `http://127.0.0.1:${await portOf(child, file)}`;
    return {
      url,
      processorTime: () => processorTime(child.pid),
      residentMemory: () => memory(child.pid, "VmRSS"),
      peakMemory: () => memory(child.pid, "VmHWM"),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function portOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = "";
    let errors = "";
    const refuse = (what: string): void => reject(new Error(`${file} ${what}\n${errors}`.trim()));
    const deadline = setTimeout(() => refuse("does not listen after a minute"), 60_000);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (output.length > 10_000) return; // a log of requests
      output += text;
      const port = /^(?:listening on https?:\/\/127\.0\.0\.1:)?(\d+)$/m.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(deadline);
      resolve(Number(port));
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (errors.length < 10_000) errors += text;
    });
    // Stays for the life of the process: an abort is an error of the child.
    child.on("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(deadline);
      refuse(`ended (${signal ?? code}) before it listened`);
    });
  });
}

/** Returns the processor time of a process in seconds; undefined where the system does not say. */
export async function processorTime(pid: number | undefined): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold spaces; utime and stime are the 12th and 13th fields after it.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

async function memory(pid: number | undefined, line: "VmRSS" | "VmHWM"): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    const kilobytes = new RegExp(`^${line}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Linux's USER_HZ, which is 100 on every platform that Node runs on. */
const ticksPerSecond = 100;
