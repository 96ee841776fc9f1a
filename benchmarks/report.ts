import { readFile, writeFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import type { RowResult, Timing } from "./measure.ts";
import { ratio, type Summary, summarize } from "./summary.ts";

/** Cells of a table, its head first. */
export type Table = readonly (readonly string[])[];

/** Returns what the results depend on beside the code: `AMD EPYC, 2 cores, linux x64, Node.js 26.10.0, fastify 5.12.8` */
export async function describeEnvironment(): Promise<string> {
  const packages = ["waymark", "fastify", "hono", "@hono/node-server"];
  const versions = await Promise.all(packages.map(async (name) => `${name} ${await versionOf(name)}`));
  const processor = (cpus()[0]?.model.trim() ?? "unknown").replaceAll("(R)", "").replace(/ (?:Processor|CPU)$/, "");
  const machine = `${processor}, ${availableParallelism()} cores, ${process.platform} ${process.arch}`;
  return [machine, `Node.js ${process.versions.node}`, ...versions].join(", ");
}

/** Returns the shares of the floor that each server came to: in requests a second, and in a second of its processor time. */
export function toSharesTable(results: readonly RowResult[]): Table {
  const head = [
    "",
    "server",
    "requests/s",
    "min–max",
    "of bare",
    "per processor second, of bare",
    "99 % within, of bare",
  ];
  const rows = results.flatMap(({ row, servers }) => {
    const floor = servers.at(-1)?.rounds ?? [];
    return servers.map(({ name, rounds }, i) => {
      const [rate, ofFloor] = compared(rounds, floor, "requestsPerSecond");
      return [
        i === 0 ? row : "",
        name,
        rate === undefined ? "?" : count(rate.median),
        rate === undefined ? "?" : `${count(rate.min)}–${count(rate.max)}`,
        ofFloor,
        compared(rounds, floor, "requestsPerProcessorSecond")[1],
        compared(rounds, floor, "p99")[1],
      ];
    });
  });
  return [head, ...rows];
}

/** Returns the table of the README: the shares of bare for ours and its peers, in requests a second of the server's processor. */
export function toPublished(results: readonly RowResult[]): string {
  const names = ["ours", "fastify", "hono"] as const;
  const rows = results.map(({ row, servers }) => {
    const floor = servers.at(-1)?.rounds ?? [];
    const shareOf = (name: string): string => {
      const rounds = servers.find((server) => server.name === name)?.rounds;
      return rounds === undefined ? "" : compared(rounds, floor, "requestsPerProcessorSecond")[1];
    };
    return [row, ...names.map(shareOf)];
  });
  return toMarkdown([["", ...names.map((name) => `\`${name}\``)], ...rows]);
}

function compared(
  rounds: readonly Timing[],
  floor: readonly Timing[],
  figure: keyof Timing,
): readonly [Summary | undefined, string] {
  const [mine, theirs] = [rounds, floor].map((of) => summarize(of.map((timing) => timing[figure])));
  return [mine, ratio(mine, theirs)];
}

/** Writes a text into the pages that have a place for it, so that nobody copies a figure. */
export async function publish(text: string): Promise<void> {
  for (const page of ["README.md", "benchmarks/README.md"]) {
    const file = join(import.meta.dirname, "..", page);
    await writeFile(file, withFigures(await readFile(file, "utf8"), text));
  }
}

/**
 * Returns the page with other figures.
 *
 * @throws RangeError when the page has no place for them
 */
export function withFigures(page: string, figures: string): string {
  const place = /(?<=<!-- npm run bench -- --publish -->\n).*?(?=<!-- end -->)/s;
  if (!place.test(page)) throw new RangeError("The page has no place for figures");
  return page.replace(place, () => figures);
}

/** Returns a table as Markdown. */
export function toMarkdown([head = [], ...rows]: Table): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return `${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

/** Returns a table for a terminal: columns side by side, numbers to the right. */
export function toText(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? "").length)));
  const pad = (cell: string, column: number): string =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return table.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n");
}

/** `12,345` */
export const count = (value: number): string => Math.round(value).toLocaleString("en-US");

/** The median with its unit, such as `12.5 ms`; `?` where it is unknown. */
export const medianOf = (summary: Summary | undefined, unit: string, scale = 1): string =>
  summary === undefined
    ? "?"
    : `${(summary.median / scale).toLocaleString("en-US", { maximumFractionDigits: 1 })} ${unit}`;

export async function versionOf(name: string): Promise<string> {
  const file = findPackageJSON(name, import.meta.url);
  if (file === undefined) throw new Error(`The package ${name} is not installed`);
  const { version }: { readonly version: string } = JSON.parse(await readFile(file, "utf8"));
  return version;
}
