// Writes the tables of the docs that are made from the code: npm run tables. A test of the docs compares them.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectionProblemTypes } from "@waymark/collection";
import { connectionProblemTypes } from "@waymark/node";
import { personServiceProblemTypes } from "@waymark/person-service";
import { type ProblemType, problemTypes } from "waymark";
import { flagOf, type Setting } from "../packages/person-service/src/cli/settings/setting.ts";
import { settings } from "../packages/person-service/src/cli/settings/settings.ts";

const tables: Readonly<Record<string, () => string>> = {
  settings: () =>
    toTable(
      ["Setting", "Means", "Default"],
      Object.entries<Setting<unknown>>(settings).map(([name, { value, about, default: byDefault, page }]) => {
        const flag = `\`--${flagOf(name)}${value === undefined ? "" : ` ${value}`}\``;
        return [page === undefined ? flag : `[${flag}](${page})`, about, String(byDefault ?? "")];
      }),
    ),
  "options of serve": () => toOptions("node/src/options.ts", "ServeOptions"),
  "limits of bulk": () => toOptions("collection/src/limits.ts", "BulkLimits"),
  "limits of lists": () => toOptions("collection/src/limits.ts", "ListLimits"),
  "limits of SQLite": () => toOptions("collection/src/stores/sqlite/database.ts", "SqliteDatabaseOptions"),
  "limits of PostgreSQL": () => toOptions("collection/src/database.ts", "PostgresDatabaseOptions"),
  "problems of waymark": () => toProblems(problemTypes),
  "problems of @waymark/node": () => toProblems(connectionProblemTypes),
  "problems of @waymark/collection": () => toProblems(collectionProblemTypes),
  "problems of @waymark/person-service": () => toProblems(personServiceProblemTypes),
};

/** Returns a page with its tables, each between `<!-- table: NAME -->` and `<!-- end -->`, as the code has them. */
export function withTables(page: string): string {
  return page.replaceAll(/(<!-- table: (.*) -->\n)[\s\S]*?(?=<!-- end -->)/g, (_, begin, name) => {
    const table = tables[name];
    if (table === undefined)
      throw new Error(`There is no table "${name}": there are ${Object.keys(tables).join(", ")}`);
    return `${begin}${table()}`;
  });
}

/** The pages that have such tables. */
export const pagesWithTables: readonly string[] = globSync("docs/*.md", {
  cwd: join(import.meta.dirname, ".."),
}).filter((file) => readFileSync(join(import.meta.dirname, "..", file), "utf8").includes("\n<!-- table: "));

/** Makes a table of the options of an interface, whose comments end with their defaults. */
function toOptions(file: string, name: string): string {
  const source = readFileSync(join(import.meta.dirname, "../packages", file), "utf8");
  const members = new RegExp(`interface ${name} [^]*?\n}`).exec(source)?.[0] ?? "";
  const options = [...members.matchAll(/\/\*\*(.*?) Default: ([^/]*)\. *\n? *\*\/\n +readonly (\w+)/gs)];
  const count = members.match(/^ {2}readonly /gm)?.length ?? 0;
  if (count === 0 || options.length !== count) throw new Error(`${name}: not each option ends with its default`);
  return toTable(
    ["Option", "Means", "Default"],
    Array.from(options, ([, about = "", byDefault = "", option]) => [
      `\`${option}\``,
      about
        .replaceAll(/\s*\n +\*/g, "")
        .trim()
        .replace(/\.$/, ""),
      byDefault,
    ]),
  );
}

function toProblems(types: Readonly<Record<string, ProblemType>>): string {
  const rows = Object.values(types).toSorted((a, b) => a.status - b.status);
  return toTable(
    ["Code", "Status", "Title", "Meaning"],
    rows.map(({ code, status, title, explanation }) => [`\`${code}\``, String(status), title, explanation]),
  );
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`.replaceAll(/ {2}(?=\|)/g, " ");
  return `${toLine(head)}|${"---|".repeat(head.length)}\n${rows.map(toLine).join("")}`;
}

if (import.meta.main) {
  for (const file of pagesWithTables) {
    const path = join(import.meta.dirname, "..", file);
    const page = readFileSync(path, "utf8");
    if (withTables(page) !== page) writeFileSync(path, withTables(page));
  }
}
