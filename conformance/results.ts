import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Count, Suite } from "./suite.ts";
import { suites } from "./suites.ts";

/** The count of the last run that was written, and of what it is. */
export interface Result extends Count {
  readonly date: string;
  /** The version of the packages. */
  readonly version: string;
  readonly node: string;
}

/** By the name of the suite. */
export type Results = Readonly<Record<string, Result>>;

export const resultsFile: string = join(import.meta.dirname, "results.json");

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(resultsFile, "utf8"));
}

const head =
  "| Subject | Suite | Tried | Cases | As expected | Decided otherwise | Last run |\n|---|---|---|---|---|---|---|";

/** Puts the counts in place of those in the table of a page. */
export function withTable(page: string, results: Results): string {
  const rows = suites.map((suite) => rowOf(suite, results[suite.name])).join("\n");
  return page.replace(/^\| Subject \| Suite .*\n(\|.*\n)*/m, `${head}\n${rows}\n`);
}

function rowOf({ subject, name, tries }: Suite, result: Result | undefined): string {
  const { cases, asExpected, decided, date } = result ?? { cases: 0, asExpected: 0, decided: 0, date: "never" };
  return `| ${subject} | ${name} | ${tries} | ${cases} | ${asExpected} | ${decided} | ${date} |`;
}
