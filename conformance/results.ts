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

/** Puts the counts in place of those in the table of a page: a row for all suites of a subject that are tried alike. */
export function withTable(page: string, results: Results): string {
  const alike = Object.values(Object.groupBy(suites, ({ subject, tries }) => `${subject} ${tries}`));
  const rows = alike.map((group = []) => rowOf(group, results)).join("\n");
  return page.replace(/^\| Subject \| Suite .*\n(\|.*\n)*/m, `${head}\n${rows}\n`);
}

function rowOf(group: readonly Suite[], results: Results): string {
  const counts = group.map(({ name }) => results[name] ?? { cases: 0, asExpected: 0, decided: 0, date: "never" });
  const sum = (of: (count: Count) => number): number => counts.reduce((all, count) => all + of(count), 0);
  const [{ subject, tries } = { subject: "", tries: "" }] = group;
  const names = group.map(({ name }) => name).join(", ");
  const [oldest] = counts.map(({ date }) => date).toSorted();
  const cells = [subject, names, tries, sum((count) => count.cases), sum((count) => count.asExpected)];
  return `| ${[...cells, sum((count) => count.decided), oldest].join(" | ")} |`;
}
