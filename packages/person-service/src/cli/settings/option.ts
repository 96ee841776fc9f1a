import { eitherOf, excerpt } from "waymark/internal";

/**
 * An option of a command. One that `serve` has is a setting: the environment and the configuration file can give it too,
 * to each command that has it and `--config`.
 *
 * ```ts
 * const port: Option = { value: "N", type: wholeNumber(0, 65_535), default: "8080", about: "the port to listen on" };
 * ```
 */
export interface Option {
  /** The name of its value in the help, such as `FILE`; undefined for a switch, which is on or off. */
  readonly value?: string;
  /** What a value may be. Default: any text. */
  readonly type?: ValueType;
  /** A letter that stands for the name: `H` for `-H`. */
  readonly short?: string;
  /** What it is for. */
  readonly about: string;
  /** The heading that it stands under in the help. Default: "Options". */
  readonly group?: string;
  readonly default?: string;
  readonly multiple?: boolean;
  /** Whether a value is the text of a JSON object, which a configuration file has as an object. */
  readonly json?: boolean;
  readonly required?: boolean;
  /** The variable in which hosting platforms give the value, which counts after every other source: `PORT`. */
  readonly platformVariable?: string;
  /** The option whose value is the content of the file that this one names, so that it shows in no list of processes. */
  readonly fileOf?: string;
}

/** What the values of an option may be. */
export interface ValueType {
  /** Returns what is wrong with a value, to stand behind the name of its source: `must be …, not "x"`. */
  fault(value: string): string | undefined;
  /** Returns all that is wrong with a value of JSON, each with the names that lead to it. Default: `fault`. */
  faultsWithin?(value: string): readonly { readonly path: readonly string[]; readonly message: string }[];
}

/** Makes the type of values that pass a test; `allowed` describes them: `a network, such as 10.0.0.0/8`. */
export const matching = (allowed: string, test: (value: string) => boolean): ValueType => ({
  fault: (value) => (test(value) ? undefined : `must be ${allowed}, not ${quotedArgument(value)}`),
});

/** Makes the type of whole numbers in decimal digits between two bounds, both included. */
export const wholeNumber = (least: number, most: number): ValueType =>
  matching(`a whole number from ${least} to ${most}`, (value) => {
    return /^(?:0|[1-9]\d{0,14})$/.test(value) && Number(value) >= least && Number(value) <= most;
  });

/** Makes the type of values that a function converts; what it throws as an error of a kind says what is wrong. */
export const converted = (
  convert: (value: string) => unknown,
  kind: typeof RangeError | typeof TypeError,
): ValueType => ({
  fault(value) {
    try {
      convert(value);
      return undefined;
    } catch (error) {
      if (error instanceof kind) return error.message;
      throw error;
    }
  },
});

/** Makes the type of a few words. */
export const oneOf = (...words: readonly string[]): ValueType =>
  matching(eitherOf(words), (value) => words.includes(value));

/** Quotes an argument of the command line for a message. Of a URL that may have a password it keeps the scheme only. */
export function quotedArgument(argument: string): string {
  return excerpt(maskPasswords(argument.replace(/((?!https?:)\b[a-z][a-z0-9+.-]*:\/\/).*$/is, "$1...")));
}

/** Quotes an argument as a shell takes it, where it needs that. */
export const quotedForShell = (argument: string): string =>
  /^[\w./:=-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;

/** Hides the user and the password of each URL in a line. */
export function maskPasswords(line: string): string {
  return line
    .replace(/(\bpostgres(?:ql)?:\/\/)\S*@/gi, "$1...@")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi, "$1...@")
    .replace(/([?&]password=)[^\s&"]*/gi, "$1...");
}
