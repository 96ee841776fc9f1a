import { wording } from "waymark/internal";
import * as z from "zod";

/**
 * A setting of the service or an option of a command, declared once. One that the service has can also come from the environment
 * and from the configuration file, to each command that has it and `config`.
 *
 * ```ts
 * const port = setting(wholeNumber(0, 65_535), { value: "N", default: "8080", about: "the port to listen on" });
 * ```
 */
export interface Setting<T> extends SettingParts {
  /** What one value must be, as a text; it gives what the program works with. A switch is `true` or `false`. */
  readonly schema: z.ZodType<unknown, string>;
  /** Is never there: the type of what the setting gives. */
  readonly gives?: T;
}

interface SettingParts {
  /** The name of its value in the help, such as `FILE`; undefined for a switch, which is on or off. */
  readonly value?: string;
  /** What it is for. */
  readonly about: string;
  /** A letter that stands for the name: `H` for `-H`. */
  readonly short?: string;
  /** The heading that it stands under in the help. Default: "Options". */
  readonly group?: string;
  /** The text of the default. */
  readonly default?: string;
  readonly multiple?: boolean;
  /** Whether a value is the text of a JSON object, which a configuration file has as an object. */
  readonly json?: boolean;
  readonly required?: boolean;
  /** The variable in which hosting platforms give the value, which counts after every other source: `PORT`. */
  readonly platform?: string;
  /** The setting whose value is the content of the file that this one names, so that it shows in no list of processes. */
  readonly fileOf?: string;
  /** The page that says more, from `docs`. */
  readonly page?: string;
}

/** Settings by their names in the program: `publicUrl` is `--public-url`. */
export type Settings = SettingsOf<Readonly<Record<string, unknown>>>;

/** The settings that give these values. */
export type SettingsOf<V> = { readonly [K in keyof V]: Setting<V[K]> };

type TextSchema<T> = z.ZodType<T, string>;

/** Declares a setting that has a value. */
export function setting<T>(schema: TextSchema<T>, parts: SettingParts & { multiple: true }): Setting<readonly T[]>;
export function setting<T>(
  schema: TextSchema<T>,
  parts: SettingParts & ({ default: string } | { required: true }),
): Setting<T>;
export function setting<T>(schema: TextSchema<T>, parts: SettingParts): Setting<T | undefined>;
export function setting(schema: TextSchema<unknown>, parts: SettingParts): Setting<unknown> {
  return { ...parts, schema };
}

/** Declares a switch. */
export const toggle = (parts: Omit<SettingParts, "value">): Setting<boolean> => ({
  ...parts,
  schema: matching("true or false", (text) => text === "true" || text === "false").transform((text) => text === "true"),
});

/** The same setting with other parts. */
export const but = <T>(original: Setting<T>, parts: Partial<SettingParts>): Setting<T> => ({ ...original, ...parts });

/** Any text. */
export const anyText: TextSchema<string> = z.string();

/** Makes the schema of texts that pass a test; `allowed` describes them: `a network, such as 10.0.0.0/8`. */
export const matching = (allowed: string, test: (text: string) => boolean): TextSchema<string> =>
  judged((text) => (test(text) ? undefined : `must be ${allowed}, not ${quotedArgument(text)}`));

/** Makes the schema of texts; the function returns what is wrong with one, to stand behind the name of its source. */
export const judged = (faultIn: (text: string) => string | undefined): TextSchema<string> =>
  z.string().check(({ value, issues }) => {
    const message = faultIn(value);
    if (message !== undefined) issues.push({ code: "custom", input: value, message });
  });

/** Makes the schema of whole numbers in decimal digits between two bounds, both included. */
export const wholeNumber = (least: number, most: number): TextSchema<number> =>
  matching(
    `a whole number from ${least} to ${most}`,
    (text) => /^(?:0|[1-9]\d{0,14})$/.test(text) && Number(text) >= least && Number(text) <= most,
  ).transform(Number);

/** Makes the schema of texts that a function converts; what it throws as an error of a kind says what is wrong. */
export const converted = <T>(convert: (text: string) => T, kind: typeof RangeError | typeof TypeError): TextSchema<T> =>
  z.string().transform((text, { issues }) => {
    try {
      return convert(text);
    } catch (error) {
      if (!(error instanceof kind)) throw error;
      issues.push({ code: "custom", input: text, message: error.message });
      return z.NEVER;
    }
  });

/** Makes the schema of a few words. */
export const oneOf = <const W extends string>(...words: readonly W[]): TextSchema<W> =>
  matching(wording.eitherOf(words), (text) => words.some((word) => word === text)).transform((text) => text as W); // it is one

/** Returns the name of a setting on the command line and in the configuration file: `public-url` for `publicUrl`. */
export const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the name of the environment variable for a setting: `PERSON_SERVICE_PUBLIC_URL` for `publicUrl`. */
export const variableOf = (name: string): string => environmentPrefix + flagOf(name).toUpperCase().replaceAll("-", "_");

/** What the names of environment variables begin with. */
export const environmentPrefix = "PERSON_SERVICE_";

/** Quotes an argument of the command line for a message. Of a URL that may have a password it keeps the scheme only. */
export function quotedArgument(argument: string): string {
  return wording.excerpt(maskPasswords(argument.replace(/((?!https?:)\b[a-z][a-z0-9+.-]*:\/\/).*$/is, "$1...")));
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
