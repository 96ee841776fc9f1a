import { textForm } from "waymark/internal";
import type { Operation, ParameterObject } from "../operations.ts";
import type { Schemas } from "../schemas.ts";
import type { Random } from "./random.ts";
import type { Values } from "./values.ts";

/** What the kit calls parameters, by their place. */
export const nouns = { path: "path variable", query: "query parameter", header: "header field" } as const;

/** The texts of parameters of one operation. */
export interface ParameterTexts {
  /**
   * Returns texts of a value that the schema of a parameter allows; undefined where none is found and none is needed.
   *
   * @throws TypeError when none is found for a parameter that is required
   */
  good(parameter: ParameterObject): readonly string[] | undefined;
  /** Returns at most three texts that the schema of a parameter does not allow. */
  wrong(parameter: ParameterObject): readonly string[];
}

/**
 * Returns what makes the texts of parameters of one operation.
 *
 * @param examples values that are good, by the name of the parameter
 */
export function textsOfParameters(
  operation: Operation,
  examples: Readonly<Record<string, readonly unknown[]>>,
  schemas: Schemas,
  values: Values,
  random: Random,
): ParameterTexts {
  return {
    good(parameter) {
      const { name, schema, example } = parameter;
      const given = examples[name];
      const own = operation.taken.schemaOf(parameter);
      for (let i = 0; i < 20; i++) {
        const isExample = given !== undefined || (example !== undefined && random.chance(0.5));
        const value = isExample ? random.pick(given ?? [example]) : values.good(schema);
        // OpenAPI has several spellings of an object.
        if (value === undefined || (typeof value === "object" && !Array.isArray(value))) break;
        const texts = [value].flat().map((each) => (typeof each === "object" ? JSON.stringify(each) : String(each)));
        const result = own?.["~standard"].validate(value);
        const isTaken = isExample || result === undefined || result instanceof Promise || result.issues === undefined;
        if (isTaken && canStand(parameter, texts)) return texts;
      }
      if (parameter.required !== true) return undefined;
      throw new TypeError(
        `No value is known for the ${nouns[parameter.in]} "${name}" of ${operation.name}: name some, { examples: { "${name}": [ … ] } }`,
      );
    },
    wrong(parameter) {
      const schema = parameter.schema as Readonly<Record<string, unknown>>;
      const { isList, convert } = textForm(schema);
      const { minimum, maximum, maxLength } = schema;
      const bounds = [
        ...(typeof minimum === "number" ? [String(minimum - 1)] : []),
        ...(typeof maximum === "number" ? [String(maximum + 1)] : []),
        ...(typeof maxLength === "number" && maxLength < 2000 ? ["x".repeat(maxLength + 1)] : []),
      ];
      return [...bounds, ...oddTexts]
        .filter((text) => canStand(parameter, [text]))
        .filter((text) => !schemas.allows(schema, isList ? [convert(text)] : convert(text)))
        .slice(0, 3);
    },
  };
}

/** Whether a parameter can be sent as these texts: a path has no empty segment, and a list has commas between its elements. */
function canStand({ in: place, schema, required }: ParameterObject, texts: readonly string[]): boolean {
  if (texts.length === 0) return place === "query" && required !== true;
  if (place === "query") return texts.every((text) => text.isWellFormed());
  if (texts.some((text) => text === "" || ("items" in schema && /[,]|^\s|\s$/.test(text)))) return false;
  if (place === "header") return texts.every((text) => /^[!-~](?:[ -~]*[!-~])?$/.test(text));
  return texts.every((text) => text.isWellFormed() && !/^\.{1,2}$|[/\\%\p{Cc}]/u.test(text));
}

/** Texts that one kind of schema or another does not allow. */
const oddTexts: readonly string[] = ["x", "1.5", "-1", "01", "", "9007199254740993", "2023-02-30", "true", "!", "a b"];
