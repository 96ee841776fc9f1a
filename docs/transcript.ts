import type { Page } from "./page.ts";

/** A command of a `console` block, and what the page says that it prints. */
export interface Command {
  /** Of the page, from 1. */
  readonly line: number;
  /** Without the `$ `; several lines where they end in a backslash. */
  readonly command: string;
  readonly output: string;
}

/** The commands of a page, in order: the lines that begin with `$ `, and below each what it prints. */
export function readTranscript(page: Page): readonly Command[] {
  return page.blocks
    .filter(({ language }) => language === "console")
    .flatMap(({ line, lines }) => {
      const commands: { line: number; command: string[]; output: string[] }[] = [];
      for (const [i, text] of lines.entries()) {
        const last = commands.at(-1);
        if (text.startsWith("$ ")) commands.push({ line: line + i, command: [text.slice(2)], output: [] });
        else if (last === undefined) throw new Error(`${page.file}:${line + i} is the output of no command`);
        else if (last.output.length === 0 && last.command.at(-1)?.endsWith("\\")) last.command.push(text);
        else last.output.push(text);
      }
      return commands.map(({ command, output, ...place }) => ({
        ...place,
        command: command.join("\n"),
        output: output.join("\n"),
      }));
    });
}
