// Runs the tests, and prints one count of them all. Tests that start the program start it as it is built here. Files with `.serial`
// in their name depend on time or measure memory: each of them runs when nothing else does. The others run side by side, and share a
// PostgreSQL server. Files with `.long`, and tests in browsers, take a third of the time: they are left out where no words name them.
//
//   npm test                  all but the long ones; those of the service on SQLite in memory
//   npm run test:all          all, over each transport and on each kind of database
//   npm test -- http2 lists   those in files whose path has one of these words
//   npm test -- --near packages/waymark/src/fields/accept.ts   the few that are nearest to a file of source
//   npm test -- --times       each file by itself, and says which take most of the processor
//   npm run test:parallel     those that run side by side
//   npm run test:serial       those that run one after the other
//   npm run test:oldest       those that depend on Node, on the oldest one
//   npm run test:node-http    those of the service, with `node:http` as the engine of its servers
//   npm run test:bun          those of the program, which Bun runs (`npm run runtimes` installs it)
//   npm run test:thorough     the property tests that are slow, with twenty times as many cases

import { globSync, rmSync } from "node:fs";
import { chmod, mkdtemp, readFile, statfs } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  makeServerFiles,
  serverFilesVariable,
  sharedServerVariable,
  startPostgres,
} from "../packages/collection/test/tools/start-postgres.ts";
import { engineVariable } from "../packages/node/test/tools/test-engine.ts";
import { everywhereVariable } from "../packages/person-service/test/tools/everywhere.ts";
import {
  builtProgramVariable,
  runtimeVariable,
} from "../packages/person-service/test/tools/programs/program-arguments.ts";
import { packAll, packedVariable } from "../packages/waymark/test/package/packed.ts";
import { buildProgram } from "./build-program.ts";
import { dependsOnNode } from "./depends-on-node.ts";
import { nearTests } from "./near-tests.ts";
import { slowestFiles, timesVariable } from "./processor-times.ts";
import { groupTests } from "./test-groups.ts";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const folders = ["packages/*/test", "docs", "examples", "benchmarks", "scripts"];
/** How long a test, or a group of test files, may take on a machine that others load. */
const timeout = 600_000; // milliseconds

const options = {
  all: { type: "boolean" },
  parallel: { type: "boolean" },
  serial: { type: "boolean" },
  oldest: { type: "boolean" },
  thorough: { type: "boolean" },
  engine: { type: "string" },
  runtime: { type: "string" },
  near: { type: "string" },
  times: { type: "boolean" },
} as const;
const { values: parts, positionals: words } = parseArgs({ options, allowPositionals: true });
const found = folders
  .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd, exclude: ["**/node_modules"] }))
  .map((file) => file.replaceAll("\\", "/"));
const lost = dependsOnNode.filter((file) => !found.includes(file));
if (lost.length > 0) throw new Error(`scripts/depends-on-node.ts names what is not there: ${lost.join(", ")}`);
/** Whether a file runs where neither words nor a file of source choose it. */
const isUsual = (file: string): boolean => parts.all === true || !/(-in-browser|\.long)\.test\.ts$/.test(file);
const files =
  parts.near === undefined
    ? (parts.oldest === true ? dependsOnNode : found)
        .filter((file) => (words.length === 0 ? isUsual(file) : words.some((word) => file.includes(word))))
        .toSorted()
    : nearTests(relative(cwd, resolve(parts.near)), found, cwd);
if (files.length === 0) throw new Error("no test file is chosen by this");
const isSerial = (file: string): boolean => /\.serial(\.long)?\.test\.ts$/.test(file);
const serial = parts.parallel === true ? [] : files.filter(isSerial);
const parallel = parts.serial === true ? [] : files.filter((file) => !isSerial(file));

/** The pages are served from their source by a function of Node.js that says each time that it is an experiment. */
const execArgv = [...process.execArgv, "--disable-warning=ExperimentalWarning"];
/** In MiB, the space for what is young: most that a test makes is garbage soon, and copying what is not took a tenth of its time. */
execArgv.push("--min-semi-space-size=16", "--max-semi-space-size=64");
/** A run of a few files shows each of them by itself, and which test an error is from that nothing waits for. */
const isWhole = words.length === 0 && parts.near === undefined;
if (isWhole) execArgv.push("--import", new URL("untracked-promises.ts", import.meta.url).href);
if (parts.times === true) execArgv.push("--import", new URL("processor-times.ts", import.meta.url).href);

/** Reports both parts, with one count at the end. */
async function* runAll(): AsyncGenerator<TestEvent> {
  const counts = new Map<string, number>();
  for (const [part, atOnce] of [
    [grouped, concurrency],
    [serial, 1],
  ] as const) {
    if (part.length === 0) continue;
    for await (const event of run({ files: [...part], cwd, concurrency: atOnce, timeout, execArgv })) {
      const [, name, count] = countOf(event) ?? [];
      if (name === undefined) yield event;
      else counts.set(name, (counts.get(name) ?? 0) + Number(count));
    }
  }
  for (const [name, count] of counts) {
    yield { type: "test:diagnostic", data: { nesting: 0, message: `${name} ${count}`, level: "info" } };
  }
  const passes = (counts.get("pass") ?? 0) > 0 && counts.get("fail") === 0 && counts.get("cancelled") === 0;
  process.exitCode = passes ? 0 : 1;
}

/** The name and the number of a line in the count of a part. */
function countOf(event: TestEvent): RegExpExecArray | null {
  const isOfPart = event.type === "test:diagnostic" && event.data.file === undefined;
  return isOfPart ? /^(\w+) ([\d.]+)$/.exec(event.data.message) : null;
}

// Those of the person who runs the tests would be settings of each program that they start.
for (const variable of ["PORT", "DATABASE_URL"]) delete process.env[variable];
// The files of a run share what Node compiles, with those of the next run: without it each of them compiles the packages again.
process.env["NODE_COMPILE_CACHE"] ??= join(cwd, "node_modules/.cache/tests");
const temporary = await mkdtemp(join(await temporaryFolder(), "tests-"));
await chmod(temporary, 0o711); // the server of PostgreSQL may run as another user
process.env["TMPDIR"] = temporary;
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
const modules = await mkdtemp(join(temporary, "modules-"));
process.env[builtProgramVariable] = await buildProgram();
// Packing changes the READMEs for a moment, and builds the program again: it is done before any test runs.
process.env[packedVariable] = await mkdtemp(join(modules, "packed-"));
const packing = files.some((file) => file.endsWith("/packed.long.test.ts")) ? packAll() : undefined;
if (parts.engine !== undefined) process.env[engineVariable] = parts.engine;
if (parts.runtime !== undefined) process.env[runtimeVariable] = parts.runtime;
const times = join(temporary, "times");
if (parts.times === true) process.env[timesVariable] = times;
if (parts.all === true || !isWhole) process.env[everywhereVariable] = "1";
if (parts.thorough === true) process.env["RUNS_FACTOR"] = "20";
// A third of the time a test waits: for a disk, a browser, a database.
const concurrency = 2 * Math.max(2, availableParallelism());
const grouped =
  isWhole && parts.times !== true ? groupTests(parallel, { cwd, folder: modules, count: 2 * concurrency }) : parallel;
// Which ends the server, and removes what is temporary.
process.once("SIGTERM", () => process.exit(143));
process.once("SIGINT", () => process.exit(130));
const [serverFiles] = await Promise.all([parallel.length > 1 ? makeServerFiles() : undefined, packing]);
if (serverFiles !== undefined) process.env[serverFilesVariable] = serverFiles;
const server = serverFiles === undefined ? undefined : await startPostgres("-c", "fsync=off");
if (server !== undefined) process.env[sharedServerVariable] = server.url;
try {
  await pipeline(Readable.from(runAll()), new spec(), process.stdout, { end: false });
} finally {
  await server?.end();
}
if (parts.times === true) process.stdout.write(`${slowestFiles(times)}\n`);

/** The folder for temporary files: in memory, where Linux has much of it for files and runs programs there; no test loses power. */
async function temporaryFolder(): Promise<string> {
  const inMemory = "/dev/shm";
  try {
    const { bavail, bsize } = await statfs(inMemory);
    const [, mountOptions = ""] =
      new RegExp(`^\\S+ ${inMemory} tmpfs (\\S+)`, "m").exec(await readFile("/proc/mounts", "utf8")) ?? [];
    if (bavail * bsize >= 4 * 2 ** 30 && mountOptions !== "" && !mountOptions.split(",").includes("noexec"))
      return inMemory;
  } catch {
    // The system has no such folder.
  }
  return tmpdir();
}
