import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Gathers test files that can share a process: a third of what a small file takes is to load the packages. Each group is a module
 * that imports its files; the tests, and where they fail, are reported as without it.
 *
 * @param files paths from the folder `cwd`
 * @param folder where the modules are written
 * @returns the files that need a process of their own, then the modules
 */
export function groupTests(files: readonly string[], { cwd, folder, count }: GroupOptions): readonly string[] {
  const alone = files.filter((file) => needsOwnProcess.test(readFileSync(join(cwd, file), "utf8")));
  const together = files.filter((file) => !alone.includes(file));
  const groups = Array.from({ length: count }, (_, n) => together.filter((_, i) => i % count === n));
  const modules = groups.flatMap((group, n) => {
    if (group.length === 0) return [];
    const path = join(folder, `group-${n + 1}.mjs`);
    const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(join(cwd, file)).href)};\n`);
    writeFileSync(path, imports.join(""));
    return [path];
  });
  return [...alone, ...modules];
}

interface GroupOptions {
  readonly cwd: string;
  readonly folder: string;
  readonly count: number;
}

/** Matches what would reach the other files of a group: hooks around every test, mocks, the process itself, and what it starts. */
const needsOwnProcess =
  /^(before|after)Each\(|\bmock\.|\bprocess\.|\bgc\(|"node:(child_process|cluster|worker_threads)"|(service-process|postgres-server|chromium|scene)\.ts"/m;
