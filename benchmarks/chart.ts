import { readFileSync } from "node:fs";
import type { ScenarioResult } from "./result.ts";

// Makes a chart of what `npm run bench -- --json FILE` has written: node benchmarks/chart.ts FILE > chart.svg

/** A bar for each server: its requests a second of processor time, as a share of the floor's. */
export function toChart(results: readonly ScenarioResult[]): string {
  const rows = results.flatMap((result) => [heading(result), ...result.contestants.map(toBar)]);
  const most = Math.max(1, ...rows.map(({ share }) => share));
  const height = rows.length * rowHeight + 2 * margin;
  const lines = rows.map(({ label, share, isOurs }, i) => {
    const y = margin + i * rowHeight;
    if (share === 0) return `<text class="head" x="0" y="${y + 16}">${label}</text>`;
    const length = Math.round((share / most) * barLength);
    return (
      `<text x="0" y="${y + 16}">${label}</text>` +
      `<rect class="${isOurs ? "ours" : "other"}" x="${labelWidth}" y="${y + 4}" width="${length}" height="16" rx="2"/>` +
      `<text x="${labelWidth + length + 8}" y="${y + 16}">${share.toFixed(2)}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${description(results)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.head { font-weight: 600 }
.ours { fill: #0a6cbd }
.other { fill: #8c959f }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ours { fill: #58a6ff } .other { fill: #6e7681 } }
</style>
${lines.join("\n")}
</svg>
`;
}

interface Row {
  readonly label: string;
  /** 0 for a heading. */
  readonly share: number;
  readonly isOurs: boolean;
}

const heading = ({ scenario, contestants }: ScenarioResult): Row => ({
  label: `${scenario}: requests per processor second, ${contestants.at(-1)?.name} = 1`,
  share: 0,
  isOurs: false,
});

const toBar = ({
  name,
  requestsPerProcessorSecond,
  requestsPerSecond,
}: ScenarioResult["contestants"][number]): Row => ({
  label: name,
  share: (requestsPerProcessorSecond ?? requestsPerSecond).ofFloor,
  isOurs: name === "ours",
});

const description = (results: readonly ScenarioResult[]): string =>
  results
    .map((result) => {
      const shares = result.contestants.map(toBar).map(({ label, share }) => `${label} ${share.toFixed(2)}`);
      return `${result.scenario}: ${shares.join(", ")}`;
    })
    .join("; ");

const width = 640;
const labelWidth = 90;
const barLength = 480;
const rowHeight = 24;
const margin = 8;

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error("The only argument must be a file of results");
  const { results }: { readonly results: readonly ScenarioResult[] } = JSON.parse(readFileSync(file, "utf8"));
  process.stdout.write(toChart(results));
}
