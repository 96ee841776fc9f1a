import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Contestant } from "./contestant.ts";
import { anywhere, type Placement } from "./placement.ts";

/** A server in a process of its own, which is killed at the end of its scope. */
export interface ServerProcess extends AsyncDisposable {
  /** `http://127.0.0.1:40123` */
  readonly url: string;
  /** The processor time that it has taken so far, in seconds; undefined where the system does not say. */
  processorTime(): Promise<number | undefined>;
  /** The bytes of memory that it has now; undefined where the system does not say. */
  residentMemory(): Promise<number | undefined>;
  /** The most bytes of memory that it has had; undefined where the system does not say. */
  peakMemory(): Promise<number | undefined>;
  /** Has the process stop as it does for an administrator. Resolves when it has ended. */
  end(): Promise<void>;
}

export interface ServerStart extends Pick<Contestant, "program" | "conditions" | "options"> {
  /** The database file that it serves. */
  readonly database: string;
  /** Default: anywhere. */
  readonly placement?: Placement;
  /** Ends the process when it is aborted. */
  readonly signal: AbortSignal;
}

/**
 * Starts a server; resolves when it listens.
 *
 * @throws Error when the process ends, or has not said on which port it listens after a minute
 */
export async function startServer(start: ServerStart): Promise<ServerProcess> {
  const { program, database, placement = anywhere, signal } = start;
  const { conditions = ["@waymark/source"], options = (path) => [path] } = start;
  const file = fileURLToPath(program);
  const nodeArguments = [...conditions.map((condition) => `--conditions=${condition}`), file, ...options(database)];
  const [command, args] = placement.place("server", process.execPath, nodeArguments);
  signal.throwIfAborted();
  const child = spawn(command, args, {
    env: { ...process.env, NODE_ENV: "production" },
    signal,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<void>((resolve) => {
    // A process that could not be started closes too.
    child.once("close", () => resolve());
  });
  const stopBy = async (killSignal: NodeJS.Signals): Promise<void> => {
    child.kill(killSignal);
    await ended;
  };
  const stop = (): Promise<void> => stopBy("SIGKILL");
  try {
    const port = await portOf(child, file);
    return {
      url: `http://127.0.0.1:${port}`,
      processorTime: () => processorTime(child.pid),
      residentMemory: () => memory(child.pid, "VmRSS"),
      peakMemory: () => memory(child.pid, "VmHWM"),
      [Symbol.asyncDispose]: stop,
      end() {
        child.stdin?.end(); // which keeps some of the servers running
        return stopBy("SIGTERM");
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function portOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    let complaints = "";
    const refuse = (what: string): void => reject(new Error(`${file} ${what}\n${complaints}`.trim()));
    const deadline = setTimeout(() => refuse("does not listen after a minute"), 60_000);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const port = /^(?:.*http:\/\/127\.0\.0\.1:)?(\d+)\b.*\n/m.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(deadline);
      resolve(Number(port));
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaints += text;
    });
    // Stays for the life of the process: an abort is an error of the child.
    child.on("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(deadline);
      refuse(`ended (${signal ?? code}) before it listened`);
    });
  });
}

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
