import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A page of the documentation, as far as its tests look at it. */
export interface Page {
  readonly file: string;
  readonly lines: readonly string[];
  readonly blocks: readonly Block[];
  /** What its links lead to, as written, those of code left out. */
  readonly links: readonly string[];
  /** The anchors of its headings, as GitHub makes them. */
  readonly anchors: readonly string[];
  /** The rows of its tables without the headers: the text of each cell. */
  readonly rows: readonly (readonly string[])[];
}

/** A fenced block of code. */
export interface Block {
  readonly language: string;
  /** What follows the language: `no-run`, or the name of a file. */
  readonly flags: readonly string[];
  /** The line of the page, from 1, on which its first line stands. */
  readonly line: number;
  readonly lines: readonly string[];
}

export function readPage(file: string): Page {
  return parsePage(file, readFileSync(file, "utf8"));
}

/** Returns the pages of the repository, each with its path from the root. */
export function allPages(root: string): readonly Page[] {
  const files = ["*.md", "docs/*.md", "docs/decisions/*.md", "packages/*/README.md", "benchmarks/README.md"];
  return globSync(files, { cwd: root })
    .toSorted()
    .map((file) => ({ ...readPage(join(root, file)), file }));
}

/**
 * Returns the parts of a page that are programs, or sessions at a command line, of their own: what stands between the lines
 * `<!-- program -->`. The lines of the others are empty, so that each line keeps its number.
 */
export function partsOf(page: Page): readonly Page[] {
  const begins = [0, ...page.lines.flatMap((line, i) => (line === "<!-- program -->" ? [i] : []))];
  if (begins.length === 1) return [page];
  return begins.map((begin, part) => {
    const end = begins[part + 1] ?? page.lines.length;
    const blocks = page.blocks.filter(({ line }) => line > begin && line <= end);
    return { ...page, lines: page.lines.map((line, i) => (i >= begin && i < end ? line : "")), blocks };
  });
}

/** @throws Error when a fence is not closed */
export function parsePage(file: string, text: string): Page {
  const lines = text.split("\n");
  const { blocks, prose } = separate(file, lines);
  return {
    file,
    lines,
    blocks,
    links: prose.flatMap((line) =>
      [...line.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to ?? ""),
    ),
    anchors: prose.filter((line) => /^#+ /.test(line)).map(toAnchor),
    rows: prose
      .filter((line, i) => line.startsWith("|") && !isRule(line) && !isRule(prose[i + 1] ?? ""))
      .map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll("\\|", "|")),
      ),
  };
}

function separate(file: string, lines: readonly string[]): { blocks: readonly Block[]; prose: readonly string[] } {
  const blocks: Block[] = [];
  const prose: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    if (!line.startsWith("```")) {
      prose.push(line);
      continue;
    }
    const end = lines.indexOf("```", i + 1);
    if (end < 0) throw new Error(`${file}:${i + 1} opens a block that nothing closes`);
    const [language = "", ...flags] = line.slice(3).split(" ");
    blocks.push({ language, flags, line: i + 2, lines: lines.slice(i + 1, end) });
    i = end;
  }
  return { blocks, prose };
}

/** The line between the header of a table and its rows. */
const isRule = (line: string): boolean => /^\|[-| :]+\|$/.test(line);

function toAnchor(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
