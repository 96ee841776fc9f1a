import { quote } from "waymark/internal";
import { FileError, parseJsonFile, positionOfMember, readTextSync } from "../../access/json-file.ts";
import { jsonType } from "../../person/text.ts";
import { type Setting, type SettingLayer, sentenceOf } from "./configuration.ts";
import { didYouMeanOf } from "./did-you-mean.ts";
import { type Option, quotedArgument } from "./option.ts";

/**
 * Reads a configuration file: a JSON object with the names of options and their values. `{"port": 8080, "demo": true,
 * "cors": ["https://app.example.com"]}` is `--port 8080 --demo --cors https://app.example.com`.
 */
export function readConfigFile(file: string, options: Readonly<Record<string, Option>>): SettingLayer {
  const settings = new Map<string, Setting>();
  const mistakes: string[] = [];
  try {
    const text = readTextSync(file);
    const content = parseJsonFile(file, text);
    if (typeof content !== "object" || content === null || Array.isArray(content)) {
      throw new FileError(file, [`it must be an object with the names of options, not ${jsonType(content)}`]);
    }
    for (const [name, value] of Object.entries(content)) {
      const sourceOf = (path: readonly string[]): string =>
        `${quotedArgument([name, ...path].join("."))} in ${quote(file)} (line ${positionOfMember(text, [name, ...path]).line})`;
      const source = sourceOf([]);
      const option = Object.hasOwn(options, name) ? options[name] : undefined;
      const values = option === undefined ? undefined : toValues(value, option);
      if (option === undefined) mistakes.push(`${source} is not a setting.${didYouMeanOf(name, Object.keys(options))}`);
      else if (values === undefined)
        mistakes.push(`${source} must be ${formOf(option)}, not ${typeOf(value, option)}.`);
      else if (values.some((each) => each.includes("\0")))
        mistakes.push(`${source} has the character U+0000, which no setting takes.`);
      else settings.set(name, { values, source, sourceOf });
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    mistakes.push(sentenceOf(error));
  }
  return { settings, mistakes };
}

/** Returns a JSON value as the texts that the command line would have; undefined for one of another type. */
function toValues(value: unknown, option: Option): readonly string[] | undefined {
  const { value: takesValue, multiple = false, json = false } = option;
  if (takesValue === undefined) return typeof value === "boolean" ? [String(value)] : undefined;
  const list = multiple && Array.isArray(value) ? value : [value];
  if (json)
    return list.every((each) => jsonType(each) === "an object") ? list.map((each) => JSON.stringify(each)) : undefined;
  return list.every((each) => typeof each === "string" || typeof each === "number") ? list.map(String) : undefined;
}

/** `an array with null` */
function typeOf(value: unknown, option: Option): string {
  if (option.multiple !== true || !Array.isArray(value)) return jsonType(value);
  return `an array with ${jsonType(value.find((each) => toValues(each, option) === undefined))}`;
}

function formOf({ value, multiple = false, json = false }: Option): string {
  if (json) return multiple ? "an object or an array of objects" : "an object";
  if (value === undefined) return "true or false";
  return multiple ? "a string or an array of strings" : "a string or a number";
}
