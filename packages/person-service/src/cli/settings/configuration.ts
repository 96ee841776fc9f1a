import { quote } from "waymark/internal";
import { FileError, readTextSync } from "../../access/json-file.ts";
import { didYouMeanOf } from "./did-you-mean.ts";
import { maskPasswords, type Option, quotedArgument } from "./option.ts";

/** The values of one option, and where they are from: `--port`, `PERSON_SERVICE_PORT`, `"port" in "config.json" (line 2)`. */
export interface Setting {
  /** Those of a switch are `true` or `false`. */
  readonly values: readonly string[];
  readonly source: string;
  /** Returns where a part of a value of JSON is from. Default: the source, and the names that lead to the part. */
  readonly sourceOf?: (path: readonly string[]) => string;
}

/** The settings of one place, by the name of the option, and what is wrong with others there, in sentences. */
export interface SettingLayer {
  readonly settings: ReadonlyMap<string, Setting>;
  readonly mistakes: readonly string[];
}

/** The operands and the values of a command: what the command line, the environment and the configuration file say. */
export interface Given {
  readonly operands: readonly string[];
  /** Returns the first value of an option, or its default. */
  value(name: string): string | undefined;
  /** Returns all values of an option that may be given several times. */
  values(name: string): readonly string[];
  /** Returns whether a switch is on, or an option has a value that is not its default. */
  has(name: string): boolean;
  /** Returns where the value of an option is from, such as `--port` or `PERSON_SERVICE_PORT`; undefined for a default. */
  source(name: string): string | undefined;
}

/** Returns the value of an option as a number; undefined for an option that has none. */
export function numberOf(given: Given, name: string): number | undefined {
  const value = given.value(name);
  return value === undefined ? undefined : Number(value);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the names of environment variables begin with: `PERSON_SERVICE_PORT` is `--port`. */
const environmentPrefix = "PERSON_SERVICE_";

/** Returns the name of the environment variable for an option. */
export const variableOf = (option: string): string => environmentPrefix + option.toUpperCase().replaceAll("-", "_");

/** Reads settings from environment variables. One that is empty is not there; several values have commas between them. */
export function readEnvironment(environment: Environment, options: Readonly<Record<string, Option>>): SettingLayer {
  const names = new Map(Object.keys(options).map((name) => [variableOf(name), name]));
  const settings = new Map<string, Setting>();
  const mistakes: string[] = [];
  for (const [variable, value = ""] of Object.entries(environment)) {
    if (!variable.startsWith(environmentPrefix) || value === "" || isServiceLink(variable, value)) continue;
    const name = names.get(variable);
    const option = name === undefined ? undefined : options[name];
    if (name === undefined || option === undefined) {
      const known = [...names.keys()];
      mistakes.push(`${quotedArgument(variable)} is not a setting.${didYouMeanOf(variable, known)}`);
      continue;
    }
    const isList = option.multiple === true && option.json !== true;
    settings.set(name, { values: isList ? value.split(/[\s,]+/).filter(Boolean) : [value], source: variable });
  }
  return { settings, mistakes };
}

/**
 * Reads settings from the variables of hosting platforms. The host has no such variable: some shells set HOST to the name of the
 * machine, and to listen there would let others in.
 */
export function readPlatformVariables(
  environment: Environment,
  options: Readonly<Record<string, Option>>,
): SettingLayer {
  const settings = new Map<string, Setting>();
  for (const [name, { platformVariable = "" }] of Object.entries(options)) {
    const value = environment[platformVariable] ?? "";
    if (value !== "") settings.set(name, { values: [value], source: platformVariable });
  }
  return { settings, mistakes: [] };
}

/** Returns whether Kubernetes set the variable, for a Service of this name (enableServiceLinks). */
const isServiceLink = (variable: string, value: string): boolean =>
  /^PERSON_SERVICE_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_[A-Z]+)(?:_|$)/.test(variable) ||
  (variable === "PERSON_SERVICE_PORT" && /^(?:tcp|udp|sctp):\/\//.test(value));

/** Replaces settings that name a file by its content: `--database-file` becomes the value of `--database`. */
export function readSettingFiles(layer: SettingLayer, options: Readonly<Record<string, Option>>): SettingLayer {
  const settings = new Map(layer.settings);
  const mistakes = [...layer.mistakes];
  for (const [name, { values, source }] of layer.settings) {
    const target = options[name]?.fileOf;
    const [file] = values;
    if (target === undefined || file === undefined) continue;
    settings.delete(name);
    const other = settings.get(target);
    if (other !== undefined) {
      mistakes.push(`${other.source} and ${source} are both given: leave one of them out.`);
      continue;
    }
    try {
      const value = readTextSync(file).trim();
      if (value === "") mistakes.push(`The file ${quotedPath(file)} of ${source} is empty.`);
      else settings.set(target, { values: [value], source: `${source} ${quotedPath(file)}` });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      mistakes.push(sentenceOf(error));
    }
  }
  return { settings, mistakes };
}

/** Quotes the whole path: two long ones may differ only at their ends. It may be a URL by mistake. */
const quotedPath = (file: string): string => quote(maskPasswords(file));

export const sentenceOf = (error: FileError): string => `${error.message}.`;

/** Returns what is wrong with the values of a setting, in sentences. */
export function mistakesIn({ values, source, sourceOf }: Setting, option: Option): readonly string[] {
  if (option.value === undefined) {
    const wrong = values.find((value) => value !== "true" && value !== "false");
    return wrong === undefined ? [] : [`${source} must be true or false, not ${quotedArgument(wrong)}.`];
  }
  const placeOf = sourceOf ?? ((path) => [source, ...(path.length === 0 ? [] : [path.join(".")])].join(" "));
  return values.flatMap((value) => {
    const fault = value === "" ? "needs a value" : option.type?.fault(value);
    if (fault === undefined) return [];
    const faults = option.type?.faultsWithin?.(value) ?? [{ path: [], message: fault }];
    return faults.map(({ path, message }) => `${placeOf(path)} ${message}${message.endsWith("?") ? "" : "."}`);
  });
}
