// Loaded into each process of a test file by `npm test -- --times`: when it exits, it notes the processor time that it took.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { isMainThread } from "node:worker_threads";

/** The variable that has the file in which the processes of a run note their times. */
export const timesVariable = "TEST_TIMES";

const notes = process.env[timesVariable];
// The time of a thread is in that of its process.
if (notes !== undefined && isMainThread) {
  process.once("exit", () => {
    const { user, system } = process.cpuUsage();
    const file = relative(process.cwd(), process.argv[1] ?? "");
    appendFileSync(notes, `${(user + system) / 1e6}\t${timeOfChildren()}\t${file}\n`);
  });
}

/** In seconds: that of the processes that have ended, with theirs; 0 where the system is not Linux. */
function timeOfChildren(): number {
  const path = "/proc/self/stat";
  if (!existsSync(path)) return 0;
  const [, fields = ""] = /.*\) (.*)/.exec(readFileSync(path, "utf8")) ?? []; // the name of the program is in parentheses
  const [user, system] = fields.split(" ").slice(13, 15);
  return (Number(user) + Number(system)) / 100; // the kernel counts in hundredths
}

/** Returns a line for each of the files that took longest, with the seconds of the processor, and those of what it started. */
export function slowestFiles(noted: string): string {
  const times = readFileSync(noted, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [own, children, file] = line.split("\t");
      return file === undefined ? [] : [{ file, children: Number(children), all: Number(own) + Number(children) }];
    })
    .toSorted((a, b) => b.all - a.all);
  const sum = times.reduce((total, { all }) => total + all, 0);
  const lines = times
    .slice(0, 40)
    .map(({ file, all, children }) => `${all.toFixed(1).padStart(7)} ${children.toFixed(1).padStart(6)}  ${file}`);
  return [`${sum.toFixed(1).padStart(7)} s of the processor, those of started processes beside them:`, ...lines].join(
    "\n",
  );
}
