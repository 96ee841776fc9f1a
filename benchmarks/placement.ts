import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Where the two sides of a measurement run. */
export interface Placement {
  /** Whether the server has core 0 and the load core 1; otherwise the system places them. */
  readonly pinned: boolean;
  /** The command and arguments that run a program on that side. */
  place(side: "server" | "load", command: string, args: readonly string[]): readonly [string, readonly string[]];
}

/** A core for each side where there is `taskset` and this process may use both. */
export async function findPlacement(): Promise<Placement> {
  const pinned = await canPin();
  return {
    pinned,
    place(side, command, args) {
      return pinned ? ["taskset", ["-c", cores[side], command, ...args]] : [command, args];
    },
  };
}

const cores = { server: "0", load: "1" } as const;

async function canPin(): Promise<boolean> {
  try {
    for (const core of Object.values(cores)) await run("taskset", ["-c", core, process.execPath, "--version"]);
    return true;
  } catch {
    return false;
  }
}

const run = promisify(execFile);
