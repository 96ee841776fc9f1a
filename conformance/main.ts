// Holds the project to the suites of others, and their counts to those in results.json, which docs/architecture.md shows.
//
//   npm run conformance                    all of them
//   npm run conformance -- xml h1spec      those with one of these words in their name
//   npm run conformance -- --write         writes the counts of those that ran to results.json and to the table of docs/architecture.md
//
// A suite is fetched once. Without a network, those that are not here are skipped, and named.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { fetched } from "./fetched.ts";
import { type Result, readResults, resultsFile, withTable } from "./results.ts";
import { judge } from "./suite.ts";
import { suites } from "./suites.ts";

const options = { write: { type: "boolean" } } as const;
const { values, positionals: words } = parseArgs({ options, allowPositionals: true });
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const results = await readResults();
const written: Record<string, Result> = { ...results };
const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../packages/waymark/package.json"), "utf8"));
const now = { date: new Date().toISOString().slice(0, 10), version, node: process.version };
let [ran, skipped, failed] = [0, 0, 0];
for (const suite of suites) {
  const { name, source } = suite;
  if (words.length > 0 && !words.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue;
  const folder = await fetched(source).catch((error: Error) => {
    skipped++;
    say(`skipped  ${name}: it cannot be fetched (${error.message.trim().split("\n").at(-1)})`);
  });
  if (folder === undefined) continue;
  ran++;
  const { count, faults } = judge(suite, await suite.run(folder));
  if (values.write !== true && !isDeepStrictEqual({ ...results[name], ...count }, results[name])) {
    faults.push(`the counts are not those of results.json, which npm run conformance -- --write brings up to date`);
  }
  written[name] = { ...count, ...now };
  failed += faults.length > 0 ? 1 : 0;
  const { cases, asExpected, decided } = count;
  say(`${faults.length > 0 ? "FAILED " : "passed "}  ${name}: ${asExpected} + ${decided} of ${cases}`);
  for (const fault of faults) say(`         ${fault}`);
}
say(`${ran} suites, ${failed} failed, ${skipped} skipped`);
if (failed > 0 || ran === 0) process.exitCode = 1;
else if (values.write === true) {
  await writeFile(resultsFile, `${JSON.stringify(written, null, 2)}\n`);
  const page = join(import.meta.dirname, "../docs/architecture.md");
  await writeFile(page, withTable(await readFile(page, "utf8"), written));
}
