import { wording } from "waymark/internal";
import { FileError, parseJsonFile, positionOfMember, readTextSync } from "../../access/files/json-file.ts";
import { jsonType } from "../../person/members/value-schemas.ts";
import {
  environmentPrefix,
  flagOf,
  maskPasswords,
  quotedArgument,
  type Setting,
  type Settings,
  variableOf,
} from "./setting.ts";
import { settings as all } from "./settings.ts";

/** What one place says of a setting. */
export interface Given {
  readonly texts: readonly string[];
  /** `--port`, `PERSON_SERVICE_PORT`, `"port" in "config.json" (line 2)` */
  readonly source: string;
  /** Returns where a part of a value of JSON is from. Default: the source, and the names that lead to the part. */
  readonly sourceOf?: (path: readonly PropertyKey[]) => string;
}

/** What one place says of all settings, by their names, and what is wrong there, in sentences. */
interface Layer {
  readonly given: ReadonlyMap<string, Given>;
  readonly mistakes: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns what holds for each setting of a command, and all that is wrong, in sentences: the command line decides, then the
 * environment, then the configuration file, then the variables of a hosting platform.
 */
export function readSources(commandLine: Layer, settings: Settings, environment: Environment): Layer {
  const layers = [commandLine];
  if (Object.hasOwn(settings, "config")) {
    const variables = readEnvironment(environment);
    const [file] = (commandLine.given.get("config") ?? variables.given.get("config"))?.texts ?? [];
    layers.push(variables, ...(file === undefined ? [] : [readConfigFile(file)]), readPlatform(environment));
  }
  const read = layers.map((layer) => readFiles(layer, settings));
  const mistakes = read.flatMap((layer) => layer.mistakes);
  const merged = new Map<string, Given>();
  for (const { given } of read) {
    for (const [name, each] of given) {
      const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
      if (setting === undefined || merged.has(name)) continue;
      merged.set(name, each);
      const wayOut = ` --${flagOf(name)} and ${variableOf(name)} have precedence over it.`;
      const further = each.source === setting.platform ? wayOut : "";
      mistakes.push(...mistakesIn(each, setting).map((mistake) => mistake + further));
    }
  }
  return { given: merged, mistakes };
}

/** Returns what is wrong with the values of a setting, in sentences. */
function mistakesIn({ texts, source, sourceOf }: Given, { schema, value }: Setting<unknown>): readonly string[] {
  const place = sourceOf ?? ((path) => [source, ...(path.length === 0 ? [] : [path.join(".")])].join(" "));
  return texts.flatMap((text) => {
    if (text === "" && value !== undefined) return [`${source} needs a value.`];
    const issues = schema.safeParse(text).error?.issues ?? [];
    return issues.map(({ path, message }) => `${place(path)} ${message}${message.endsWith("?") ? "" : "."}`);
  });
}

/** Reads environment variables. One that is empty is not there; several values have commas between them. */
function readEnvironment(environment: Environment): Layer {
  const names = new Map(Object.keys(all).map((name) => [variableOf(name), name]));
  const given = new Map<string, Given>();
  const mistakes: string[] = [];
  for (const [variable, value = ""] of Object.entries(environment)) {
    if (!variable.startsWith(environmentPrefix) || value === "" || isServiceLink(variable, value)) continue;
    const name = names.get(variable);
    const setting = settingOf(name);
    if (name === undefined || setting === undefined) {
      mistakes.push(`${quotedArgument(variable)} is not a setting.${didYouMeanOf(variable, [...names.keys()])}`);
      continue;
    }
    const isList = setting.multiple === true && setting.json !== true;
    given.set(name, { texts: isList ? value.split(/[\s,]+/).filter(Boolean) : [value], source: variable });
  }
  return { given, mistakes };
}

/**
 * Reads the variables of hosting platforms. The host has no such variable: some shells set HOST to the name of the machine, and
 * to listen there would let others in.
 */
function readPlatform(environment: Environment): Layer {
  const given = new Map<string, Given>();
  for (const [name, { platform }] of Object.entries<Setting<unknown>>(all)) {
    const value = platform === undefined ? "" : (environment[platform] ?? "");
    if (platform !== undefined && value !== "") given.set(name, { texts: [value], source: platform });
  }
  return { given, mistakes: [] };
}

/** Returns whether Kubernetes set the variable, for a Service of this name (enableServiceLinks). */
const isServiceLink = (variable: string, value: string): boolean =>
  /^PERSON_SERVICE_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_[A-Z]+)(?:_|$)/.test(variable) ||
  (variable === "PERSON_SERVICE_PORT" && /^(?:tcp|udp|sctp):\/\//.test(value));

/**
 * Reads a configuration file: a JSON object with the names of options and their values. `{"port": 8080, "demo": true,
 * "cors": ["https://app.example.com"]}` is `--port 8080 --demo --cors https://app.example.com`.
 */
function readConfigFile(file: string): Layer {
  const names = new Map(Object.keys(all).flatMap((name) => (name === "config" ? [] : [[flagOf(name), name]])));
  const given = new Map<string, Given>();
  const mistakes: string[] = [];
  try {
    const text = readTextSync(file);
    const content = parseJsonFile(file, text);
    if (typeof content !== "object" || content === null || Array.isArray(content)) {
      throw new FileError(file, [`it must be an object with the names of options, not ${jsonType(content)}`]);
    }
    for (const [flag, value] of Object.entries(content)) {
      const sourceOf = (path: readonly PropertyKey[]): string =>
        `${quotedArgument([flag, ...path].join("."))} in ${wording.quote(file)} (line ${positionOfMember(text, [flag, ...path]).line})`;
      const source = sourceOf([]);
      const name = names.get(flag);
      const setting = settingOf(name);
      const texts = setting && textsOf(value, setting);
      if (name === undefined || setting === undefined)
        mistakes.push(`${source} is not a setting.${didYouMeanOf(flag, [...names.keys()])}`);
      else if (texts === undefined)
        mistakes.push(`${source} must be ${formOf(setting)}, not ${typeOf(value, setting)}.`);
      else if (texts.some((each) => each.includes("\0")))
        mistakes.push(`${source} has the character U+0000, which no setting takes.`);
      else given.set(name, { texts, source, sourceOf });
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    mistakes.push(`${error.message}.`);
  }
  return { given, mistakes };
}

const settingOf = (name: string | undefined): Setting<unknown> | undefined =>
  name === undefined ? undefined : (all as Settings)[name]; // a name of one of them

/** Returns a JSON value as the texts that the command line would have; undefined for one of another type. */
function textsOf(
  value: unknown,
  { value: takesValue, multiple, json }: Setting<unknown>,
): readonly string[] | undefined {
  if (takesValue === undefined) return typeof value === "boolean" ? [String(value)] : undefined;
  const list = multiple === true && Array.isArray(value) ? value : [value];
  if (json === true)
    return list.every((each) => jsonType(each) === "an object") ? list.map((each) => JSON.stringify(each)) : undefined;
  return list.every((each) => typeof each === "string" || typeof each === "number") ? list.map(String) : undefined;
}

/** `an array with null` */
function typeOf(value: unknown, setting: Setting<unknown>): string {
  if (setting.multiple !== true || !Array.isArray(value)) return jsonType(value);
  return `an array with ${jsonType(value.find((each) => textsOf(each, setting) === undefined))}`;
}

function formOf({ value, multiple, json }: Setting<unknown>): string {
  if (json === true) return multiple === true ? "an object or an array of objects" : "an object";
  if (value === undefined) return "true or false";
  return multiple === true ? "a string or an array of strings" : "a string or a number";
}

/** Replaces settings that name a file by its content: `--database-file` becomes the value of `--database`. */
function readFiles(layer: Layer, settings: Settings): Layer {
  const given = new Map(layer.given);
  const mistakes = [...layer.mistakes];
  for (const [name, { texts, source }] of layer.given) {
    const target = settings[name]?.fileOf;
    const [file] = texts;
    if (target === undefined || file === undefined) continue;
    given.delete(name);
    const other = given.get(target);
    if (other !== undefined) {
      mistakes.push(`${other.source} and ${source} are both given: leave one of them out.`);
      continue;
    }
    try {
      const value = readTextSync(file).trim();
      if (value === "") mistakes.push(`The file ${quotedPath(file)} of ${source} is empty.`);
      else given.set(target, { texts: [value], source: `${source} ${quotedPath(file)}` });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      mistakes.push(`${error.message}.`);
    }
  }
  return { given, mistakes };
}

/** Quotes the whole path: two long ones may differ only at their ends. It may be a URL by mistake. */
const quotedPath = (file: string): string => wording.quote(maskPasswords(file));

/** The settings that have left, and what takes their place. */
const departed: Readonly<Record<string, string>> = {
  "admin-host": "It is a part of --admin, as in 0.0.0.0:9090.",
  "admin-port": "It is --admin now.",
  "log-level": "It is a part of --log: warnings, or errors.",
  partitions: "Several instances store at once without it: leave it out.",
  workers: "One process serves: for more cores, start several instances on PostgreSQL (docs/databases.md).",
};

/**
 * Returns ` Did you mean "import"?` for a word near to one of the names, what takes the place of a setting that has left, and nothing
 * for another.
 */
export function didYouMean(word: string, names: readonly string[], toText: (name: string) => string = String): string {
  const setting = word
    .toLowerCase()
    .replace(/^person_service_/, "")
    .replaceAll("_", "-");
  if (Object.hasOwn(departed, setting)) return ` ${departed[setting]}`;
  const name = wording.nearestName(word, names);
  return name === undefined ? "" : ` Did you mean "${toText(name)}"?`;
}

/** Returns what `didYouMean` does for a word near to one of the names, and a sentence that lists all names for another. */
const didYouMeanOf = (word: string, names: readonly string[]): string =>
  didYouMean(word, names) || ` Known are ${names.join(", ")}.`;
