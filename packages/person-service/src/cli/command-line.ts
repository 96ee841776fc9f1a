import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { excerpt } from "waymark/content";
import type { Command, CommandStreams, Given, Option } from "./command.ts";
import { commands } from "./commands.ts";
import { serveCommand } from "./serve.ts";

/**
 * What a command line asks for: to run a command; to print a text on stdout and exit 0; or, where one line says what is wrong
 * with it, to print that and which command line tells more on stderr, and exit 2. The texts have no line end of their own.
 */
export type CommandLine =
  | {
      readonly kind: "run";
      readonly name: string;
      readonly given: Given;
      readonly run: (io: CommandStreams) => Promise<void>;
    }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "refuse"; readonly fault: string; readonly help: string };

/**
 * Reads the command line: a command, `serve` unless told, its operand and its options. `--help`, then `--version`, then an
 * option that is for itself is obeyed even where the rest is wrong; else the first fault is told.
 *
 * ```ts
 * parseCommandLine(["--port", "80a"]);
 * // { kind: "refuse", fault: '--port must be a whole number from 0 to 65535, and is "80a".', help: "person-service --help" }
 * ```
 *
 * @param argv the arguments without the program's own name: `process.argv.slice(2)`
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const named = nameIn(argv);
  const command = commands.get(named.name);
  if (command === undefined) return faultOfName(argv);
  const args = argv.slice(named.length);
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  // Not strict: Node's own faults say less, differ from release to release, and let an option be given twice.
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const has = (name: string) => tokens.some((token) => token.kind === "option" && token.name === name);
  if (has("help")) {
    return { kind: "print", text: named.name === "serve" ? usageOfProgram() : usageOf(named.name, command) };
  }
  if (has("version")) return { kind: "print", text: `person-service ${version()}` };

  const refuse = (fault: string): CommandLine => ({
    kind: "refuse",
    fault,
    help: helpOf(named.name === "serve" ? "" : named.name),
  });
  const run = (given: Given): CommandLine => ({
    kind: "run",
    name: named.name,
    given,
    run: (io) => command.run(given, io),
  });
  const alone = Object.keys(command.options).find((name) => command.options[name]?.alone && has(name));
  if (alone !== undefined) return run(givenBy(command, [], new Map([[alone, []]])));

  const operands: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      if (command.operand === undefined) return refuse(`All is said by options, and ${excerpt(token.value)} is none.`);
      if (operands.length > 0)
        return refuse(`One ${command.operand} is enough, and ${excerpt(token.value)} is another.`);
      if (token.value === "") return refuse(`${command.operand} needs a name.`);
      operands.push(token.value);
      continue;
    }
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
    // The argument itself, since parseArgs takes `-port` for the four options -p -o -r -t.
    if (option === undefined) {
      return refuse(`There is no option ${excerpt((args[token.index] ?? token.rawName).replace(/=.*$/s, ""))}.`);
    }
    const before = values.get(token.name);
    if (before !== undefined && !option.multiple) return refuse(`${token.rawName} is given more than once.`);
    const fault = faultIn(token, option.value !== undefined) ?? option.fault?.(token.value ?? "");
    if (fault !== undefined) return refuse(fault);
    values.set(token.name, [...(before ?? []), ...(token.value === undefined ? [] : [token.value])]);
  }
  if (command.operand !== undefined && operands.length === 0)
    return refuse(`"${named.name}" needs a ${command.operand}.`);
  const missing = Object.keys(command.options).find((name) => command.options[name]?.required && !values.has(name));
  if (missing !== undefined) return refuse(`"${named.name}" needs --${missing}.`);
  const given = givenBy(command, operands, values);
  const fault = command.fault?.(given);
  return fault === undefined ? run(given) : refuse(fault);
}

/** The command that the arguments begin with, and how many of them its name takes. */
function nameIn([first = "", second = ""]: readonly string[]): { readonly name: string; readonly length: number } {
  if (first.startsWith("-") || first === "") return { name: "serve", length: 0 };
  return commands.has(`${first} ${second}`) ? { name: `${first} ${second}`, length: 2 } : { name: first, length: 1 };
}

/** For arguments that begin with the name of no command, or with the first half of some. */
function faultOfName([noun = "", verb = "", ...others]: readonly string[]): CommandLine {
  const like = new Map([...commands].filter(([name]) => name.startsWith(`${noun} `)));
  if (like.size === 0) {
    return { kind: "refuse", fault: `There is no command ${excerpt(noun)}.`, help: helpOf("") };
  }
  if ([verb, ...others].includes("--help")) return { kind: "print", text: usageOfAll(like) };
  const verbs = [...like.keys()].map((name) => name.slice(noun.length + 1)).join(", ");
  return {
    kind: "refuse",
    fault: `After "${noun}" comes one of ${verbs}, and not ${excerpt(verb)}.`,
    help: helpOf(noun),
  };
}

const helpOf = (name: string): string => ["person-service", name, "--help"].filter((word) => word !== "").join(" ");

const usageOfProgram = (): string =>
  usageOf("serve", serveCommand, new Map([...commands].filter(([, command]) => command !== serveCommand)));

function givenBy(
  { options }: Command,
  [operand = ""]: readonly string[],
  values: ReadonlyMap<string, readonly string[]>,
): Given {
  return {
    operand,
    value: (name) => values.get(name)?.[0] ?? options[name]?.default,
    values: (name) => values.get(name) ?? [],
    has: (name) => values.has(name),
  };
}

/** What is wrong with an option as `parseArgs` found it, but for the value itself. */
function faultIn(
  token: { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  takesValue: boolean,
): string | undefined {
  const { rawName, value, inlineValue } = token;
  if (!takesValue) return value === undefined ? undefined : `${rawName} takes no value, and has ${excerpt(value)}.`;
  if (value === undefined || value === "") return `${rawName} needs a value.`;
  if (!inlineValue && /^--?[a-z]/i.test(value))
    return `${rawName} needs a value, and is followed by ${excerpt(value)}.`;
  return undefined;
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}

/** The help of a command, no line longer than a terminal is wide; `others` are listed below it. */
function usageOf(name: string, command: Command, others: Commands = new Map()): string {
  return [
    ...formsOf([[name, command]]),
    ...[command.about, command.note].flatMap((text) => (text === undefined ? [] : ["", ...wrap(text, width)])),
    ...optionsOf([command]),
    ...(others.size === 0 ? [] : ["", "Other commands, each with a --help of its own:", ...summaries(others)]),
  ].join("\n");
}

/** The help of several commands together. */
function usageOfAll(commands: Commands): string {
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
