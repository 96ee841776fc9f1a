import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Gathers test files that can share a process: a third of what a small file takes is to load the packages. Each group is a module
 * that imports its files; the tests, and where they fail, are reported as without it.
 *
 * @param files paths from the folder `cwd`
 * @param folder where the modules are written
 * @returns the module of the tests in browsers, the files that take longest, the other modules, then what needs a process of its own
 */
export function groupTests(files: readonly string[], { cwd, folder, count }: GroupOptions): readonly string[] {
  const isFirst = (file: string): boolean =>
    file.endsWith(".long.test.ts") || longest.some((name) => file.endsWith(`/${name}.test.ts`));
  const isAlone = (file: string): boolean => needsOwnProcess.test(readFileSync(join(cwd, file), "utf8"));
  const first = files.filter(isFirst);
  const alone = files.filter((file) => !isFirst(file) && isAlone(file));
  const inBrowser = files.filter((file) => file.endsWith("-in-browser.test.ts"));
  const together = files.filter((file) => ![first, alone, inBrowser].some((others) => others.includes(file)));
  const toModule = (name: string, group: readonly string[]): readonly string[] => {
    if (group.length === 0) return [];
    const path = join(folder, `${name}.mjs`);
    const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(join(cwd, file)).href)};\n`);
    writeFileSync(path, imports.join(""));
    return [path];
  };
  const groups = Array.from({ length: count }, (_, n) => together.filter((_, i) => i % count === n));
  const modules = groups.flatMap((group, n) => toModule(`group-${n + 1}`, group));
  return [...toModule("in-browser", inBrowser), ...first, ...modules, ...alone];
}

interface GroupOptions {
  readonly cwd: string;
  readonly folder: string;
  /** How many groups there are, beside one of the tests that share a browser. */
  readonly count: number;
}

/** The names of other files that take long: they begin first, so that no processor waits for one of them at the end. */
const longest: readonly string[] = ["postgres-store", "docs", "main", "access"];

/**
 * Matches what would reach the other files of a group: what begins every test, mocks that do not end with their test, a server that
 * is stopped and killed, what looks through the whole heap, and what belongs to the process.
 */
const needsOwnProcess =
  /^beforeEach\(|(?<!\.)\bmock\.|\b(gc|queryObjects)\(|"node:cluster"|\b(postgresServer|startPostgres|startReplication)\b|\bprocess\.(argv|chdir|emit|env(\.\w+|\[[^\]]+\])? =|exitCode|getActiveResourcesInfo|memoryUsage|off|on|once|std(err|out)|umask)\b/m;
