import { parseArgs } from "node:util";
import type { Command } from "./commands/command.ts";
import { mistakesIn, type Setting, type SettingLayer } from "./settings/configuration.ts";
import { didYouMean } from "./settings/did-you-mean.ts";
import { type Option, quotedArgument } from "./settings/option.ts";
import { settings } from "./settings/options.ts";

/** Thrown for arguments and settings that a command does not take. */
export class UsageErrors extends Error {
  readonly usageErrors: readonly string[];

  constructor(usageErrors: readonly string[]) {
    super(usageErrors.join("\n"));
    this.usageErrors = usageErrors;
  }
}

/** The arguments of a command as Node.js splits them: options, known or not, and operands. */
export type Tokens = ReturnType<typeof parseArgs<{ strict: false; tokens: true }>>["tokens"];

export function parseTokens(args: readonly string[], { options }: Command): Tokens {
  const types = Object.entries(options).map(([name, { value, short }]) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, short === undefined ? { type } : { type, short }] as const;
  });
  // Not strict: Node's own errors are less precise, differ between releases, and allow an option twice.
  return parseArgs({ args: [...args], options: Object.fromEntries(types), strict: false, tokens: true }).tokens;
}

/**
 * Reads the operands and the options of a command.
 *
 * @param args the arguments that the tokens are of
 * @throws UsageErrors with the first one
 */
export function readTokens(
  tokens: Tokens,
  args: readonly string[],
  commandName: string,
  command: Command,
): { readonly operands: readonly string[]; readonly layer: SettingLayer } {
  const { operands: operandNames = [] } = command;
  const operands: string[] = [];
  const given = new Map<string, Setting>();
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      const operand = operandNames[operands.length];
      if (operand === undefined) throw refusal(superfluous(token.value, commandName, operandNames));
      if (token.value === "") throw refusal(`${operand.replace(/[[\]]/g, "")} must not be empty.`);
      operands.push(token.value);
      continue;
    }
    const { name, option, isOff } = optionOf(token, args, commandName, command);
    const before = given.get(name);
    if (before !== undefined && !option.multiple) throw refusal(`${token.rawName} is given more than once.`);
    const usageError = usageErrorIn(token, option.value !== undefined);
    if (usageError !== undefined) throw refusal(usageError);
    const value = token.value ?? String(!isOff);
    const setting = { values: [...(before?.values ?? []), value], source: token.rawName };
    const [mistake] = mistakesIn({ ...setting, values: [value] }, option);
    if (mistake !== undefined) throw refusal(mistake);
    given.set(name, setting);
  }
  const absent = operandNames[operands.length];
  if (absent !== undefined && !absent.startsWith("[")) throw refusal(`"${commandName}" needs a ${absent}.`);
  return { operands, layer: { settings: given, mistakes: [] } };
}

const refusal = (...usageErrors: readonly string[]): UsageErrors => new UsageErrors(usageErrors);

/** The option of a command that an argument names. */
interface NamedOption {
  readonly name: string;
  readonly option: Option;
  /** Whether the argument turns a switch off. */
  readonly isOff: boolean;
}

function optionOf(
  token: Extract<Tokens[number], { kind: "option" }>,
  args: readonly string[],
  commandName: string,
  { options }: Command,
): NamedOption {
  const isOff = token.rawName.startsWith("--no-") && isSwitchSetting(options, token.name.slice(3));
  const name = isOff ? token.name.slice(3) : token.name;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option !== undefined) return { name, option, isOff };
  // The argument itself, since parseArgs reads `-port` as the four options -p -o -r -t.
  const written = (args[token.index] ?? token.rawName).replace(/=.*$/s, "");
  const known = [...Object.keys(options), "help"];
  const meant = /^-[a-z]$/i.test(written)
    ? letterMeant(written.slice(1), options)
    : didYouMean(written.replace(/^-+/, ""), known, (name) => `--${name}`);
  const list = known.map((name) => `--${name}`).join(", ");
  throw refusal(
    `Unknown option ${quotedArgument(written)}.${meant}`,
    ...(meant === "" ? [`Options of ${commandName}: ${list}.`] : []),
  );
}

/** Returns what `didYouMean` does for a single letter: it most likely means the first option whose name it begins. */
function letterMeant(letter: string, options: Command["options"]): string {
  const [name, option] = Object.entries(options).find(([name]) => name.startsWith(letter.toLowerCase())) ?? [];
  if (name === undefined) return "";
  return ` Did you mean "${option?.short === undefined ? `--${name}` : `-${option.short}`}"?`;
}

function superfluous(value: string, commandName: string, operandNames: readonly string[]): string {
  if (operandNames.length > 0)
    return `"${commandName}" takes ${operandNames.join(" ")}; ${quotedArgument(value)} is one more.`;
  const copied = commandName === "copy" ? ": use --from A --to B" : "";
  return `"${commandName}" takes options only, not ${quotedArgument(value)}${copied}.`;
}

/** Returns whether `--no-` before the name turns off a switch that the environment or the file has turned on. */
const isSwitchSetting = (options: Command["options"], name: string): boolean =>
  Object.hasOwn(options, name) && Object.hasOwn(settings, name) && options[name]?.value === undefined;

/** Returns what is wrong with an option as `parseArgs` found it, apart from its value. */
function usageErrorIn(
  token: { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  takesValue: boolean,
): string | undefined {
  const { rawName, value, inlineValue } = token;
  if (!takesValue) {
    return value === undefined ? undefined : `${rawName} is a switch and takes no value, not ${quotedArgument(value)}.`;
  }
  if (value === undefined || value === "") return `${rawName} needs a value.`;
  if (!inlineValue && /^--?[a-z]/i.test(value))
    return `${rawName} needs a value, and is followed by ${quotedArgument(value)}.`;
  return undefined;
}
