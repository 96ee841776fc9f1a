import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Where the two sides of a measurement run. */
export interface Placement {
  /** Whether the server has core 0 and the load core 1; otherwise the system places them. */
  readonly pinned: boolean;
  /** The command and arguments that run a program on that side. */
  place(side: "server" | "load", command: string, args: readonly string[]): readonly [string, readonly string[]];
}

/** Leaves both to the system: a thread that writes is to have a core as it has otherwise. */
export const anywhere: Placement = { pinned: false, place: (_side, command, args) => [command, args] };

/** A core for each side where there is `taskset` and this process may use both. */
export async function findPlacement(): Promise<Placement> {
  if (!(await canPin())) return anywhere;
  return { pinned: true, place: (side, command, args) => ["taskset", ["-c", cores[side], command, ...args]] };
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
