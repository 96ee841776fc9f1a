import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CannotStart } from "./database-cluster.ts";

/**
 * Finds programs on the PATH and in further directories.
 *
 * @throws CannotStart that names all that are missing, and the packages of Debian that have them
 */
export function findPrograms<N extends string>(
  packages: Readonly<Record<N, string>>,
  directories: readonly string[] = [],
): Readonly<Record<N, string>> {
  const searched = [...directories, ...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  const isExecutable = (path: string): boolean => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  const names = Object.keys(packages) as N[]; // the keys of this type
  const found = names.map((name) => [name, searched.map((path) => join(path, name)).find(isExecutable)] as const);
  const missing = found.flatMap(([name, path]) => (path === undefined ? [name] : []));
  if (missing.length > 0) {
    const needed = [...new Set(missing.map((name) => packages[name]))].join(" ");
    throw new CannotStart(`These programs are missing: ${missing.join(", ")}. On Debian: apt-get install ${needed}`);
  }
  return Object.fromEntries(found) as Record<N, string>; // none is missing
}

/** The user that runs servers which refuse to run as root: `postgres` for root, and this user for others. */
export function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (option: string): number => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** A command of a host, and the user that runs it. */
export interface HostCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts a program that ends with this one. Its output goes to a file. */
export function startProgram({ command, args, ...user }: HostCommand, log: number): ChildProcess {
  const child = spawn(command, args, { ...user, stdio: ["ignore", log, log] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Sends a signal to a process and to all that it has started, itself first. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  const children = childrenOf(pid);
  try {
    process.kill(pid, signal);
  } catch {
    return; // it has ended
  }
  for (const child of children) signalTree(child, signal);
}

function childrenOf(pid: number): readonly number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return pids.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
