// Says how much the tests notice: puts one token of a source in the place of another, and runs the tests that are nearest to the file;
// if none fails, all of them. A copy of the checkout is changed, never the checkout.
//
//   npm run mutate                            100 random mutations of the packages
//   npm run mutate -- --count 20 --seed 7     20 others
//   npm run mutate -- packages/node/src       those of the files whose path has this text
//   npm run mutate -- --near                  without the whole run: quick, and what it misses may be noticed by farther tests

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdir, mkdtempDisposable, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { type Mutation, mutate, mutationsOf } from "./mutations.ts";
import { nearTests } from "./near-tests.ts";

const root = join(import.meta.dirname, "..");
const options = {
  count: { type: "string", default: "100" },
  seed: { type: "string", default: "1" },
  near: { type: "boolean", default: false },
} as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });

// A terminal does not interrupt what runs in a group of its own.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** A mutation and the file that has it. */
interface Mutant extends Mutation {
  readonly file: string;
  readonly source: string;
}

await using folder = await mkdtempDisposable(join(tmpdir(), "mutants-"));
const copy = join(folder.path, "checkout");
if ((await run(root, "git", "clone", "--quiet", root, copy)).code !== 0)
  throw new Error("The checkout cannot be cloned");
for (const modules of ["node_modules", "scripts/node_modules"])
  await linkModules(join(root, modules), join(copy, modules));

const tests = globSync("packages/*/test/**/*.test.ts", { cwd: copy });
const survivors: string[] = [];
const mutants = await chosenMutants(Number(values.count), Number(values.seed));
for (const [i, mutant] of mutants.entries()) {
  const noticed = await isNoticed(mutant);
  const line = `${placeOf(mutant)}: ${mutant.before} → ${mutant.after || "nothing"}`;
  process.stdout.write(`${i + 1} of ${mutants.length} ${noticed ? "noticed " : "SURVIVED"} ${line}\n`);
  if (!noticed) survivors.push(line);
}
const share = Math.round((100 * (mutants.length - survivors.length)) / mutants.length);
process.stdout.write(
  `\n${share} % of ${mutants.length} mutations are noticed. These are not:\n${survivors.join("\n")}\n`,
);

/** Makes a folder of the same packages: those of the workspace are the ones of the copy, since their links are relative. */
async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => [])) {
    const [path, link] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith("@")) await linkModules(path, link);
    else await symlink(entry.isSymbolicLink() ? await readlink(path) : path, link);
  }
}

/** Draws mutations, each as likely as any other of the files that were asked for. */
async function chosenMutants(count: number, seed: number): Promise<readonly Mutant[]> {
  const files = globSync("packages/*/src/**/*.ts", { cwd: copy })
    .filter((file) => positionals.length === 0 || positionals.some((text) => file.includes(text)))
    .toSorted();
  const all: Mutant[] = [];
  for (const file of files) {
    const source = await readFile(join(copy, file), "utf8");
    all.push(...mutationsOf(source).map((mutation) => ({ ...mutation, file, source })));
  }
  if (all.length === 0) throw new Error(`no file is chosen by ${positionals.join(" ")}`);
  const random = randomNumbers(seed);
  const chosen: Mutant[] = [];
  for (let i = 0; i < Math.min(count, all.length); i++) {
    const at = i + Math.floor(random() * (all.length - i));
    [all[i], all[at]] = [all[at] as Mutant, all[i] as Mutant]; // both are within
    chosen.push(all[i] as Mutant);
  }
  return chosen;
}

/** Returns whether a test fails, or does not end, with the mutation and passes without it. */
async function isNoticed({ file, source, ...mutation }: Mutant): Promise<boolean> {
  const path = join(copy, file);
  const near = nearTests(file, tests, copy);
  // Most are noticed by the nearest three.
  const runs = [near.slice(0, 3), near.slice(3)].filter((files) => files.length > 0);
  if (!values.near) runs.push([]);
  await writeFile(path, mutate(source, mutation));
  let failing: readonly string[] | undefined;
  try {
    for (const files of runs) failing ??= await failingTests(...files);
  } finally {
    await writeFile(path, source);
  }
  return failing !== undefined && (await failingTests(...failing)) === undefined;
}

/** Runs tests, and returns the files of those that fail; undefined if none does. */
async function failingTests(...args: readonly string[]): Promise<readonly string[] | undefined> {
  const { code, output } = await run(
    copy,
    process.execPath,
    "--conditions=@waymark/source",
    "scripts/run-tests.ts",
    ...args,
  );
  if (code === 0) return undefined;
  const files = Array.from(output.matchAll(/^test at (\S+\.test\.ts):/gm), ([, file = ""]) => file);
  return files.length > 0 ? [...new Set(files)] : args;
}

/** Runs a program, and returns its exit code; another one when it takes longer than a quarter of an hour. */
async function run(
  cwd: string,
  command: string,
  ...args: readonly string[]
): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "ignore"], timeout: 900_000, detached: true });
  const endAll = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // All have ended.
    }
  };
  const interrupted = (): void => endAll("SIGTERM");
  process.once("exit", interrupted);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  process.off("exit", interrupted);
  // A test whose loop does not end with the mutation outlives the runner.
  endAll("SIGKILL");
  return { code: code ?? 1, output };
}

function placeOf({ file, source, at }: Mutant): string {
  const before = source.slice(0, at).split("\n");
  return `${file}:${before.length}`;
}

/** Returns a generator of numbers from 0 to 1, the same for the same seed (a linear congruence, by Numerical Recipes). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
