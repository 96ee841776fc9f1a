import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Count, Suite } from "./suite.ts";
import { suites } from "./suites.ts";

/** The last counts of the suites, and of what. */
export interface Results {
  /** The version of the packages. */
  readonly version: string;
  readonly date: string;
  readonly node: string;
  readonly suites: Readonly<Record<string, Count>>;
}

export const resultsFile: string = join(import.meta.dirname, "results.json");

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(resultsFile, "utf8"));
}

const head = "| Subject | Suite | Tried | Cases | As expected | Decided otherwise |";

/** Puts the counts in place of those in the table of a page, and says of when they are. */
export function withTable(page: string, results: Results): string {
  const rows = suites.map((suite) => rowOf(suite, results.suites[suite.name])).join("\n");
  const { date, version, node } = results;
  return page
    .replace(/^\| Subject \| Suite .*\n(\|.*\n)*/m, `${head}\n|---|---|---|---|---|---|\n${rows}\n`)
    .replace(
      /^The counts are those of .*$/m,
      `The counts are those of ${date}, of version ${version} on Node.js ${node}.`,
    );
}

function rowOf({ subject, name, tries }: Suite, count: Count | undefined): string {
  const { cases, asExpected, decided } = count ?? { cases: 0, asExpected: 0, decided: 0 };
  return `| ${subject} | ${name} | ${tries} | ${cases} | ${asExpected} | ${decided} |`;
}
