import type { Block, Page } from "./page.ts";

/** The blocks of a page as one program, each line of it where it stands in the page. */
export interface Program {
  readonly source: string;
  readonly results: readonly ExpectedResult[];
}

/** What a statement of a program gives, as the page says. */
export interface ExpectedResult {
  /** Where the statement begins, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * The program of a page: its `ts` blocks but those marked `no-run` or named as a file; undefined if the page has no such blocks.
 *
 * A statement that ends in `// → text`, or has such a comment below it, becomes `await showResult(line, async () => (…))`. The
 * text may go on in the comments that follow. A statement begins at the margin: what is indented, and what closes a
 * bracket, goes on with the one before.
 *
 * @param preamble an import that gives the program `showResult`, on one line
 * @throws Error when a result follows nothing that has one
 */
export function toProgram(page: Page, preamble: string): Program | undefined {
  const blocks = page.blocks.filter(({ language, flags }) => language === "ts" && flags.length === 0);
  if (blocks.length === 0) return undefined;
  const lines = page.lines.map(() => "");
  lines[0] = preamble;
  const results: ExpectedResult[] = [];
  for (const block of blocks) results.push(...addBlock(page, block, lines));
  return { source: lines.join("\n"), results };
}

const marker = "// → ";

function addBlock(page: Page, block: Block, program: string[]): readonly ExpectedResult[] {
  const results: ExpectedResult[] = [];
  let begin: number | undefined;
  for (let i = 0; i < block.lines.length; i++) {
    const line = block.lines[i] as string;
    const at = block.line - 1 + i;
    program[at] = line;
    const found = line.indexOf(marker);
    if (/^[^\s)\]}]/.test(line) && !line.startsWith("//")) begin = at;
    if (found < 0) continue;

    const text = [line.slice(found + marker.length)];
    const end = found === 0 ? at - 1 : at;
    while (block.lines[i + 1]?.startsWith("//") && !block.lines[i + 1]?.startsWith(marker)) {
      i++;
      text.push((block.lines[i] as string).replace(/^\/\/ ?/, ""));
    }
    const last = found === 0 ? program[end] : line.slice(0, found);
    if (
      begin === undefined ||
      !/;\s*$/.test(last ?? "") ||
      /^(const|let|import|export|function) /.test(program[begin] ?? "")
    ) {
      throw new Error(`${page.file}:${at + 1} has a result that follows no expression`);
    }
    program[end] = (last as string).replace(/;\s*$/, "));");
    program[begin] = `await showResult(${begin + 1}, async () => (${program[begin]}`;
    results.push({ line: begin + 1, text: text.join("\n") });
    begin = undefined;
  }
  return results;
}
