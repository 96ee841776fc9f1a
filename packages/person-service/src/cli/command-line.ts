import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Command, type CommandStreams, type Given, type Option, quotedArgument } from "./command.ts";
import { commands } from "./commands.ts";
import { serveCommand } from "./serve.ts";

/**
 * A parsed command line: a command to run; a text to print on standard output, with exit code 0; or a usage error, to print
 * on standard error together with the command line that prints help, with exit code 2. Texts do not end with a line end.
 */
export type CommandLine =
  | {
      readonly kind: "run";
      readonly name: string;
      readonly given: Given;
      readonly run: (io: CommandStreams) => Promise<void>;
    }
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "usage-error"; readonly usageError: string; readonly help: string };

/**
 * Parses the command line: a command (default: `serve`), its operand and its options. `--help`, then `--version`, then an
 * option that stands alone is obeyed even where the rest is wrong; otherwise the first usage error is returned. `-h` and
 * `-V` are short for the first two, and `help` before a command is `--help` behind it.
 *
 * ```ts
 * parseCommandLine(["--port", "80a"]);
 * // { kind: "usage-error", usageError: '--port must be a whole number from 0 to 65535, and is "80a".', help: "person-service --help" }
 * ```
 *
 * @param argv the arguments without the program's own name: `process.argv.slice(2)`
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const [first, ...others] = argv.map((argument) => shortForms.get(argument) ?? argument);
  if (first === "help") return parseCommandLine([...others, "--help"]);
  return parseArguments(first === undefined ? [] : [first, ...others]);
}

const shortForms: ReadonlyMap<string, string> = new Map([
  ["-h", "--help"],
  ["-V", "--version"],
]);

function parseArguments(argv: readonly string[]): CommandLine {
  const named = nameIn(argv);
  const command = commands.get(named.name);
  if (command === undefined) return usageErrorOfName(argv);
  const args = argv.slice(named.length);
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  // Not strict: Node's own errors are less precise, differ between releases, and allow an option twice.
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const has = (name: string) => tokens.some((token) => token.kind === "option" && token.name === name);
  if (has("help")) {
    return { kind: "print", text: named.name === "serve" ? usageOfProgram() : usageOf(named.name, command) };
  }
  if (has("version")) return { kind: "print", text: `person-service ${version()}` };

  const refuse = (usageError: string): CommandLine => ({
    kind: "usage-error",
    usageError,
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
      if (command.operand === undefined)
        return refuse(`All is said by options, and ${quotedArgument(token.value)} is none.`);
      if (operands.length > 0)
        return refuse(`One ${command.operand} is enough, and ${quotedArgument(token.value)} is another.`);
      if (token.value === "") return refuse(`${command.operand} needs a name.`);
      operands.push(token.value);
      continue;
    }
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
    // The argument itself, since parseArgs reads `-port` as the four options -p -o -r -t.
    if (option === undefined) {
      return refuse(`There is no option ${quotedArgument((args[token.index] ?? token.rawName).replace(/=.*$/s, ""))}.`);
    }
    const before = values.get(token.name);
    if (before !== undefined && !option.multiple) return refuse(`${token.rawName} is given more than once.`);
    const usageError = usageErrorIn(token, option.value !== undefined) ?? option.usageError?.(token.value ?? "");
    if (usageError !== undefined) return refuse(usageError);
    values.set(token.name, [...(before ?? []), ...(token.value === undefined ? [] : [token.value])]);
  }
  if (command.operand !== undefined && operands.length === 0)
    return refuse(`"${named.name}" needs a ${command.operand}.`);
  const missing = Object.keys(command.options).find((name) => command.options[name]?.required && !values.has(name));
  if (missing !== undefined) return refuse(`"${named.name}" needs --${missing}.`);
  const given = givenBy(command, operands, values);
  const usageError = command.usageError?.(given);
  return usageError === undefined ? run(given) : refuse(usageError);
}

/** Returns the command that the arguments begin with, and how many arguments its name is. */
function nameIn([first = "", second = ""]: readonly string[]): { readonly name: string; readonly length: number } {
  if (first.startsWith("-") || first === "") return { name: "serve", length: 0 };
  return commands.has(`${first} ${second}`) ? { name: `${first} ${second}`, length: 2 } : { name: first, length: 1 };
}

/** Handles arguments that begin with no command, or with the first word of several. */
function usageErrorOfName([noun = "", verb = "", ...others]: readonly string[]): CommandLine {
  const like = new Map([...commands].filter(([name]) => name.startsWith(`${noun} `)));
  if (like.size === 0) {
    return { kind: "usage-error", usageError: `There is no command ${quotedArgument(noun)}.`, help: helpOf("") };
  }
  if ([verb, ...others].includes("--help")) return { kind: "print", text: usageOfAll(like) };
  const verbs = [...like.keys()].map((name) => name.slice(noun.length + 1)).join(", ");
  return {
    kind: "usage-error",
    usageError: `After "${noun}" comes one of ${verbs}, and not ${quotedArgument(verb)}.`,
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

/** Returns what is wrong with an option as `parseArgs` found it, apart from its value. */
function usageErrorIn(
  token: { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  takesValue: boolean,
): string | undefined {
  const { rawName, value, inlineValue } = token;
  if (!takesValue)
    return value === undefined ? undefined : `${rawName} takes no value, and has ${quotedArgument(value)}.`;
  if (value === undefined || value === "") return `${rawName} needs a value.`;
  if (!inlineValue && /^--?[a-z]/i.test(value))
    return `${rawName} needs a value, and is followed by ${quotedArgument(value)}.`;
  return undefined;
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}

/** Returns the help of a command in lines of at most 80 characters; `others` are listed below it. */
function usageOf(name: string, command: Command, others: Commands = new Map()): string {
  return [
    ...formsOf([[name, command]]),
    ...[command.about, command.note].flatMap((text) => (text === undefined ? [] : ["", ...wrap(text, width)])),
    ...optionsOf([command]),
    ...(others.size === 0 ? [] : ["", "Other commands, each with a --help of its own:", ...summaries(others)]),
  ].join("\n");
}

/** Returns the help of several commands together. */
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

/** Lays out two columns, the first as wide as its longest term. */
function explain(rows: readonly (readonly [term: string, text: string])[]): readonly string[] {
  const column = Math.max(...rows.map(([term]) => term.length)) + 4;
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
