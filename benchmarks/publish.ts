import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "./report.ts";
import { type ScenarioResult, shareOf } from "./result.ts";

/** The results of the servers, and how they were measured. */
export interface Published {
  readonly environment: Environment;
  readonly rounds: number;
  /** Of each round, and of the load before it. */
  readonly seconds: number;
  readonly warmUp: number;
  readonly results: readonly ScenarioResult[];
}

const root = join(import.meta.dirname, "..");

/** Writes the results into the pages that show them, so that nobody copies a figure. */
export async function publish(published: Published): Promise<void> {
  const figures = toFigures(published);
  for (const page of ["README.md", "benchmarks/README.md"]) {
    const file = join(root, page);
    await writeFile(file, withFigures(await readFile(file, "utf8"), figures));
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

/** The table of the shares, and what they are, in Markdown. */
export function toFigures({ environment, rounds, seconds, warmUp, results }: Published): string {
  const { cores, processor, versions } = environment;
  // The last one is the floor, whose share is 1.
  const servers = results[0]?.contestants.slice(0, -1) ?? [];
  const rows = results.map(({ scenario, contestants }) => [
    scenario,
    ...contestants.slice(0, -1).map((contestant) => shareOf(contestant).toFixed(2)),
  ]);
  const table = [["", ...servers.map(({ name }) => `\`${name}\``)], ["---", ...servers.map(() => "---")], ...rows];
  return `${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}

Shares of bare \`node:http\` in requests per processor second, of version ${versions["@waymark/person-service"]} with Node.js ${versions["node"]}
on ${cores} cores of ${named(processor)}: medians of ${rounds} × ${seconds} s after ${warmUp} s of warm-up, by \`npm run bench -- --publish\`.
`;
}

/** Without marks: `Intel Xeon`. */
const named = (processor: string): string => processor.replaceAll("(R)", "").replace(/ (?:Processor|CPU)$/, "");
