import type { Command, Option } from "./commands/command.ts";

/** The help of a command, no line longer than a terminal is wide; `others` are listed below it. */
export function usageOf(name: string, command: Command, others: Commands = new Map()): string {
  return [
    ...formsOf([[name, command]]),
    ...[command.about, command.note].flatMap((text) => (text === undefined ? [] : ["", ...wrap(text, width)])),
    ...optionsOf([command]),
    ...(others.size === 0 ? [] : ["", "Other commands, each with a --help of its own:", ...summaries(others)]),
  ].join("\n");
}

/** The help of several commands together. */
export function usageOfAll(commands: Commands): string {
  return [...formsOf([...commands]), "", ...summaries(commands), ...optionsOf([...commands.values()])].join("\n");
}

type Commands = ReadonlyMap<string, Command>;

const summaries = (commands: Commands): readonly string[] =>
  explain([...commands].map(([name, { about }]) => [name, about]));

function optionsOf(commands: readonly Command[]): readonly string[] {
  const options = new Map(commands.flatMap((command): [string, Option][] => Object.entries(command.options)));
  options.set("help", { about: "print this text and exit" });
  return ["", "Options:", ...explain([...options].map(([name, option]) => [signature(name, option), aboutOf(option)]))];
}

const formsOf = (commands: readonly (readonly [name: string, command: Command])[]): readonly string[] =>
  commands
    .flatMap(([name, command]) => command.synopsis ?? [formOf(name, command)])
    .map((form, i) => `${i === 0 ? "Usage:" : "      "} person-service ${form}`);

function formOf(name: string, { operand, options }: Command): string {
  const parts = Object.entries(options).map(([option, each]) => {
    const part = `${signature(option, each)}${each.multiple ? "..." : ""}`;
    return each.required ? part : `[${part}]`;
  });
  return [name, ...(operand === undefined ? [] : [operand]), ...parts].join(" ");
}

const width = 80;

const signature = (name: string, { value }: Option): string => `--${name}${value === undefined ? "" : ` ${value}`}`;

const aboutOf = (option: Option): string =>
  `${option.about}${option.default === undefined ? "" : ` (default ${option.default})`}`;

/** Two columns, the first as wide as it must be. */
function explain(rows: readonly (readonly [term: string, text: string])[]): readonly string[] {
  const column = Math.max(...rows.map(([term]) => term.length)) + 4;
  return rows.flatMap(([term, text]) =>
    wrap(text, width - column).map((line, i) => `${(i === 0 ? `  ${term}` : "").padEnd(column)}${line}`),
  );
}

/** Lines of words, none longer than so many characters but where a word is. */
function wrap(text: string, length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= length) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
