import type { Command } from "./commands/command.ts";
import type { Option } from "./settings/option.ts";

export type Commands = ReadonlyMap<string, Command>;

/** Returns the help of a command in lines of at most 80 characters, `others` listed in it. */
export function helpOf(name: string, command: Command, others: Commands = new Map()): string {
  const { about, notes = [], examples = [] } = command;
  return [
    ...formsOf([[name, command]]),
    ...[about, ...notes].flatMap((text) => ["", ...wrap(text, width)]),
    ...(examples.length === 0 ? [] : ["", "Examples:", ...examples.flatMap(exampleOf)]),
    ...(others.size === 0 ? [] : ["", "Other commands, each with its own --help:", ...summaries(others)]),
    ...optionsOf([command]),
    ...("config" in command.options ? ["", ...wrap(settingsNoteOf(command), width)] : []),
  ].join("\n");
}

/** Returns the help of several commands together. */
export function helpOfAll(commands: Commands): string {
  return [...formsOf([...commands]), "", ...summaries(commands), ...optionsOf([...commands.values()])].join("\n");
}

function settingsNoteOf({ options }: Command): string {
  const platform = Object.values(options).flatMap(({ platformVariable }) => platformVariable ?? []);
  const less = `${platform.join(" and ")}, which hosting platforms set, ${platform.length === 1 ? "counts" : "count"} less than these. `;
  return `A setting can also be an environment variable, such as PERSON_SERVICE_PORT for --port, or a member of the JSON file of --config. The command line has precedence over the environment, and the environment over the file. ${platform.length === 0 ? "" : less}The command check-config prints the result.`;
}

const exampleOf = ([line, purpose]: readonly [string, string]): readonly string[] => [
  ...wrap(`# ${purpose}`, width - 2).map((text, i) => (i === 0 ? `  ${text}` : `  # ${text}`)),
  `  ${line}`,
];

const summaries = (commands: Commands): readonly string[] =>
  explain([...commands].map(([name, { about }]) => [name, about]));

function optionsOf(commands: readonly Command[]): readonly string[] {
  const options = new Map(commands.flatMap((command): [string, Option][] => Object.entries(command.options)));
  options.set("help", { about: "print this text and exit", short: "h", group: generalGroup });
  const column = columnOf([...options].map(([name, option]) => signature(name, option)));
  const groups = Map.groupBy(options, ([, { group = generalGroup }]) => group);
  return [...groups].flatMap(([group, members]) => [
    "",
    `${group}:`,
    ...explain(
      members.map(([name, option]) => [signature(name, option), aboutOf(option)]),
      column,
    ),
  ]);
}

const generalGroup = "Options";

const formsOf = (commands: readonly (readonly [name: string, command: Command])[]): readonly string[] =>
  commands
    .flatMap(([name, command]) => command.synopsis ?? [formOf(name, command)])
    .map((form, i) => `${i === 0 ? "Usage:" : "      "} person-service ${form}`);

function formOf(name: string, { operands = [], options }: Command): string {
  const parts = Object.entries(options).map(([option, { value, multiple, required = false }]) => {
    const part = `--${option}${value === undefined ? "" : ` ${value}`}${multiple ? "..." : ""}`;
    return { part: required ? part : `[${part}]`, required };
  });
  const whole = [name, ...operands, ...parts.map(({ part }) => part)].join(" ");
  if (whole.length <= width - "Usage: person-service ".length) return whole;
  const required = parts.filter((each) => each.required).map(({ part }) => part);
  return [name, ...operands, ...required, "[options]"].join(" ");
}

const width = 80;

const signature = (name: string, { value, short }: Option): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;

const aboutOf = (option: Option): string =>
  `${option.about}${option.default === undefined ? "" : ` (default ${option.default})`}`;

const columnOf = (terms: readonly string[]): number => Math.max(...terms.map(({ length }) => length)) + 4;

/** Lays out two columns, the first as wide as its longest term. */
function explain(
  rows: readonly (readonly [term: string, text: string])[],
  column: number = columnOf(rows.map(([term]) => term)),
): readonly string[] {
  return rows.flatMap(([term, text]) =>
    wrap(text, width - column).map((line, i) => `${(i === 0 ? `  ${term}` : "").padEnd(column)}${line}`),
  );
}

/** Wraps a text into lines of at most `length` characters, unless a single word is longer. */
function wrap(text: string, length: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= length) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
