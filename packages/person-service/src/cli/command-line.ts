import { CommanderError } from "commander";
import { wording } from "waymark/internal";
import type { Command, Invocation } from "./commands/command.ts";
import { commands, programOf } from "./program.ts";
import { flagOf, maskPasswords, quotedArgument, type Settings } from "./settings/setting.ts";
import { didYouMean, type Environment, type Given, readSources } from "./settings/sources.ts";
import type { CommandStreams } from "./terminal/streams.ts";

/**
 * A parsed command line: a command to run; a text to print on standard output, with exit code 0; or usage errors, to print
 * on standard error together with the command line that prints help, with exit code 2. Texts do not end with a line end.
 */
export type CommandLine =
  | CalledCommand
  | { readonly kind: "print"; readonly text: string }
  | { readonly kind: "usage-error"; readonly usageErrors: readonly string[]; readonly help: string };

/** A command with all that it needs. */
export interface CalledCommand extends Invocation {
  readonly kind: "run";
  readonly name: string;
  readonly run: (io: CommandStreams) => Promise<void>;
}

/**
 * Parses the command line: a command (default: `serve`), its operands and its options; and reads the settings that the
 * environment, the configuration file and the variables of a hosting platform have. The first usage error of the command line,
 * or all of the environment and the file, are returned.
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
  const [first] = argv;
  const isOfServe = first === undefined || (first.startsWith("-") && !ofProgram.includes(first));
  const args = isOfServe ? ["serve", ...argv] : argv;
  const written: string[] = [];
  let called: CommandLine | undefined;
  const program = programOf({
    write: (text) => written.push(text),
    call(name, operands, options) {
      called = callOf(name, operands, options, environment);
    },
  });
  try {
    program.parse(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) return usageError([sentenceOf(error, args)], commandIn(args));
  }
  return called ?? { kind: "print", text: written.join("").trimEnd() };
}

const ofProgram = ["-h", "--help", "-V", "--version"];

/** Makes what a command is called with, of all sources. */
function callOf(
  name: string,
  operands: readonly string[],
  texts: Readonly<Record<string, unknown>>,
  environment: Environment,
): CommandLine {
  const command = commands.get(name) as Command; // the program is made of them
  const { options } = command;
  const { given, mistakes } = readSources(ofCommandLine(texts, options), options, environment);
  const invocation = toInvocation(operands, options, given);
  const missing = Object.keys(options).find((each) => options[each]?.required === true && !given.has(each));
  const empty = (command.operands ?? []).find((_, i) => operands[i] === "");
  if (mistakes.length > 0) return usageError(mistakes, name);
  if (empty !== undefined) return usageError([`${empty.replace(/[[\]]/g, "")} must not be empty.`], name);
  if (missing !== undefined) return usageError([`"${name}" needs --${flagOf(missing)}.`], name);
  const fault = command.faultIn?.(invocation);
  if (fault !== undefined) return usageError([fault], name);
  return { kind: "run", name, ...invocation, run: (io) => command.run(invocation, io) };
}

/** Returns what the command line says of the options, and the first mistake that it has by itself. */
function ofCommandLine(texts: Readonly<Record<string, unknown>>, options: Settings): ReturnType<typeof readSources> {
  const given = new Map<string, Given>();
  for (const [name, option] of Object.entries(options)) {
    const values = texts[name];
    if (values === undefined) continue;
    const source = `--${flagOf(name)}`;
    const all = (Array.isArray(values) ? values : [values]).map(String);
    const follower = all.find((text) => /^--[a-z]/i.test(text));
    const mistake =
      all.length > 1 && option.multiple !== true
        ? `${source} is given more than once.`
        : follower !== undefined
          ? `${source} needs a value, and is followed by ${quotedArgument(follower)}.`
          : undefined;
    if (mistake !== undefined) return { given: new Map(), mistakes: [mistake] };
    given.set(name, { texts: all, source });
  }
  return { given, mistakes: [] };
}

function toInvocation(operands: readonly string[], options: Settings, given: ReadonlyMap<string, Given>): Invocation {
  const textsOf = (name: string): readonly string[] => given.get(name)?.texts ?? [options[name]?.default ?? []].flat();
  const values = Object.entries(options).map(([name, { schema, multiple, value }]) => {
    const all = textsOf(name).map((text) => schema.safeParse(text).data); // where one is refused, nothing is called
    return [name, multiple === true ? all : value === undefined ? all[0] === true : all[0]] as const;
  });
  return {
    operands,
    values: Object.fromEntries(values),
    textsOf,
    sourceOf: (name) => given.get(name)?.source,
  };
}

/** Says what commander refuses: in its own words, where these name what is nearest. */
function sentenceOf({ code, message }: CommanderError, args: readonly string[]): string {
  const name = commandIn(args);
  if (code === "commander.help") {
    const words = [...commands.keys()].flatMap((each) =>
      each.startsWith(`${name} `) ? each.slice(name.length + 1) : [],
    );
    return `"${name}" needs one of the words ${words.join(", ")}.`;
  }
  const unknown = code === "commander.unknownOption" ? unknownOption(args, name) : undefined;
  if (unknown !== undefined) return unknown;
  // It may repeat whole arguments.
  const line = maskPasswords(
    message
      .replace(/^error: /, "")
      .replace(/\s*[\t\n]\s*/g, " ")
      .replace(otherSchemes, "$1..."),
  );
  const sentence = wording.escapeUnprintable(
    `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/([^.)])$/, "$1.")}`,
  );
  return sentence.length > longest ? `${sentence.slice(0, longest)}…` : sentence;
}

const longest = 500;
const otherSchemes = /((?!https?:)\b[a-z][a-z0-9+.-]*:\/\/)[^'\s]*/gi;

/** Names the option that a command does not have, however it is written, and what is most likely meant. */
function unknownOption(args: readonly string[], name: string): string | undefined {
  const entries = Object.entries(commands.get(name)?.options ?? {});
  const known = entries.flatMap(([each, { short }]) => [
    `--${flagOf(each)}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
  const written = args.find((arg) => /^-(?!-no-)/.test(arg) && !known.includes(arg.replace(/=.*$/s, "")));
  const [word = ""] = (written ?? "").split("=");
  const names = [...entries.map(([each]) => flagOf(each)), ...commands.keys()];
  const toText = (each: string): string => (known.includes(`--${each}`) ? `--${each}` : each);
  if (written !== undefined)
    return `Unknown option ${quotedArgument(word)}.${didYouMean(word.replace(/^-+/, ""), names, toText)}`;
  const valued = args.find((arg) => known.includes(arg.replace(/=.*$/s, "")) && arg.includes("="));
  return valued === undefined ? undefined : `${valued.replace(/=.*$/s, "")} is a switch and takes no value.`;
}

/** Returns the name of the command that the arguments begin with, as far as there is one. */
const commandIn = ([first = "", second = ""]: readonly string[]): string =>
  [`${first} ${second}`, first].find((name) => commands.has(name)) ??
  ([...commands.keys()].some((name) => name.startsWith(`${first} `)) ? first : "serve");

function usageError(usageErrors: readonly string[], name: string): CommandLine {
  const help = name === "serve" ? "person-service --help" : `person-service ${name} --help`;
  return { kind: "usage-error", usageErrors, help };
}
