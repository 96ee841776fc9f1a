import { version } from "../package-files.ts";
import { parseTokens, readTokens, type Tokens, UsageErrors } from "./arguments.ts";
import type { Command } from "./commands/command.ts";
import { serveCommand } from "./commands/serve.ts";
import { commands } from "./commands.ts";
import { helpOf, helpOfAll } from "./help.ts";
import { readConfigFile } from "./settings/config-file.ts";
import {
  type Environment,
  type Given,
  mistakesIn,
  readEnvironment,
  readPlatformVariables,
  readSettingFiles,
  type Setting,
  type SettingLayer,
  variableOf,
} from "./settings/configuration.ts";
import { didYouMean } from "./settings/did-you-mean.ts";
import { type Option, quotedArgument } from "./settings/option.ts";
import { settings } from "./settings/options.ts";
import type { CommandStreams } from "./terminal/streams.ts";

/**
 * A parsed command line: a command to run; a text to print on standard output, with exit code 0; or usage errors, to print
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
  | { readonly kind: "usage-error"; readonly usageErrors: readonly string[]; readonly help: string };

/**
 * Parses the command line: a command (default: `serve`), its operands and its options; and reads the settings that the
 * environment, the configuration file and the variables of a hosting platform have. `--help`, then `--version` is obeyed even where the rest is wrong; otherwise the
 * first usage error of the command line, or all of the environment and the file, are returned. `-h` and `-V` are short for
 * these two, and `help` before a command is `--help` behind it.
 *
 * ```ts
 * parseCommandLine(["--port", "80a"]);
 * // { kind: "usage-error", usageErrors: ['--port must be a whole number from 0 to 65535, not "80a".'], … }
 * ```
 *
 * @param argv the arguments without the program's own name: `process.argv.slice(2)`
 * @param environment default: nothing
 */
export function parseCommandLine(argv: readonly string[], environment: Environment = {}): CommandLine {
  const [first, ...others] = argv.map((argument) => shortForms.get(argument) ?? argument);
  if (first === "help") return parseCommandLine([...others, "--help"]);
  return parseArguments(first === undefined ? [] : [first, ...others], environment);
}

const shortForms: ReadonlyMap<string, string> = new Map([
  ["-h", "--help"],
  ["-V", "--version"],
]);

function parseArguments(argv: readonly string[], environment: Environment): CommandLine {
  const named = nameIn(argv);
  const command = commands.get(named.name);
  if (command === undefined) return usageErrorOfName(argv);
  const args = argv.slice(named.length);
  const tokens = parseTokens(args, command);
  const has = (name: string) => tokens.some((token) => token.kind === "option" && token.name === name);
  if (has("help")) {
    return { kind: "print", text: named.name === "serve" ? helpOfProgram() : helpOf(named.name, command) };
  }
  if (has("version")) return { kind: "print", text: `person-service ${version()}` };

  try {
    refuseCommandsAsOptions(tokens, command);
    const { operands, layer } = readTokens(tokens, args, named.name, command);
    const merged = mergeLayers(layer, command, environment);
    const missing = Object.keys(command.options).find((name) => command.options[name]?.required && !merged.has(name));
    if (missing !== undefined) throw new UsageErrors([`"${named.name}" needs --${missing}.`]);
    const given = givenBy(command, operands, merged);
    const usageError = command.usageError?.(given);
    if (usageError !== undefined) throw new UsageErrors([usageError]);
    return { kind: "run", name: named.name, given, run: (io) => command.run(given, io) };
  } catch (error) {
    if (!(error instanceof UsageErrors)) throw error;
    const help = helpLineOf(named.name === "serve" ? "" : named.name);
    return { kind: "usage-error", usageErrors: error.usageErrors, help };
  }
}

/** @throws UsageErrors for a command that is written like an option: `--import people.csv` */
function refuseCommandsAsOptions(tokens: Tokens, { options }: Command): void {
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name) || !commands.has(token.name)) continue;
    throw new UsageErrors([`Unknown option "${token.rawName}". Did you mean the command "${token.name}"?`]);
  }
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
    const names = [...commands.keys()];
    const usageError = `Unknown command ${quotedArgument(noun)}.${didYouMean(noun, names)}`;
    return { kind: "usage-error", usageErrors: [usageError, `Commands: ${names.join(", ")}.`], help: helpLineOf("") };
  }
  if ([verb, ...others].includes("--help")) return { kind: "print", text: helpOfAll(like) };
  const verbs = [...like.keys()].map((name) => name.slice(noun.length + 1));
  const unknown = verb === "" ? "" : `, not ${quotedArgument(verb)}`;
  const usageError = `"${noun}" needs one of the words ${verbs.join(", ")}${unknown}.${didYouMean(verb, verbs)}`;
  return { kind: "usage-error", usageErrors: [usageError], help: helpLineOf(noun) };
}

const helpLineOf = (name: string): string => ["person-service", name, "--help"].filter((word) => word !== "").join(" ");

const helpOfProgram = (): string =>
  helpOf("serve", serveCommand, new Map([...commands].filter(([, command]) => command !== serveCommand)));

/**
 * Returns the settings of a command: those of the command line, then of the environment, then of the configuration file, then of
 * the platform.
 *
 * @throws UsageErrors with all of the environment and the file
 */
function mergeLayers(
  commandLine: SettingLayer,
  { options }: Command,
  environment: Environment,
): ReadonlyMap<string, Setting> {
  const layers = [commandLine];
  if ("config" in options) {
    const variables = readEnvironment(environment, settings);
    const [file] = (commandLine.settings.get("config") ?? variables.settings.get("config"))?.values ?? [];
    const fromFile = file === undefined ? [] : [readConfigFile(file, withoutConfig)];
    layers.push(variables, ...fromFile, readPlatformVariables(environment, settings));
  }
  const read = layers.map((layer) => readSettingFiles(layer, options));
  const mistakes = read.flatMap((layer) => layer.mistakes);
  const merged = new Map<string, Setting>();
  for (const { settings } of read) {
    for (const [name, setting] of settings) {
      const option = Object.hasOwn(options, name) ? options[name] : undefined;
      if (option === undefined || merged.has(name)) continue;
      merged.set(name, setting);
      const isOfPlatform = setting.source === option.platformVariable;
      const wayOut = isOfPlatform ? ` --${name} and ${variableOf(name)} have precedence over it.` : "";
      mistakes.push(...mistakesIn(setting, option).map((mistake) => mistake + wayOut));
    }
  }
  if (mistakes.length > 0) throw new UsageErrors(mistakes);
  return merged;
}

const { config: _config, ...withoutConfig }: Readonly<Record<string, Option>> = settings;

function givenBy({ options }: Command, operands: readonly string[], values: ReadonlyMap<string, Setting>): Given {
  return {
    operands,
    value: (name) => values.get(name)?.values[0] ?? options[name]?.default,
    values: (name) => values.get(name)?.values ?? [],
    has: (name) => values.has(name) && (options[name]?.value !== undefined || values.get(name)?.values[0] === "true"),
    source: (name) => values.get(name)?.source,
  };
}
