import { lookUp } from "../content/references.ts";
import { pointerToken } from "../content/standard-schema.ts";
import { formats } from "./formats.ts";
import { expression, faultsOf, type Schema } from "./json-schema.ts";
import { textOfPattern } from "./pattern-text.ts";
import type { Random } from "./random.ts";

/** A value that a schema does not allow. */
export interface BrokenValue {
  readonly value: unknown;
  /** Where it is wrong, as the fragment of a URI. */
  readonly pointer: string;
  /** What was done to it. */
  readonly how: string;
}

/** Values that schemas of one document allow, and values that they do not. */
export interface Values {
  /** Returns a value that the schema allows; undefined where none is found. */
  good(schema: unknown): unknown;
  allows(schema: unknown, value: unknown): boolean;
  /** Returns values that the schema does not allow, each wrong in one place; made of one that it allows. */
  broken(schema: unknown, good: unknown): readonly BrokenValue[];
}

/** Returns what makes values for the schemas of a document. */
export function schemaValues(root: object, random: Random): Values {
  const allows = (schema: unknown, value: unknown): boolean => faultsOf(schema, value, root).length === 0;

  const draft = (given: unknown, depth: number): unknown => {
    if (typeof given !== "object" || given === null) return random.pick(anything);
    const schema = resolve(given as Schema);
    const { const: only, enum: values, anyOf, oneOf, default: fallback, examples } = schema;
    if ("const" in schema) return only;
    if (Array.isArray(values)) return random.pick(values);
    const choices = anyOf ?? oneOf;
    if (Array.isArray(choices)) {
      const { anyOf: _, oneOf: __, ...others } = schema;
      return draft(merged([others, choices[depth > 3 ? 0 : random.integer(0, choices.length - 1)]]), depth + 1);
    }
    const known = [...(Array.isArray(examples) ? examples : []), ...(fallback === undefined ? [] : [fallback])];
    if (known.length > 0 && random.chance(0.3)) return random.pick(known);
    switch (typeOf(schema)) {
      case "string":
        return textFor(schema);
      case "integer":
        return numberFor(schema, true);
      case "number":
        return numberFor(schema, random.chance(0.5));
      case "boolean":
        return random.chance(0.5);
      case "null":
        return null;
      case "array":
        return arrayFor(schema, depth);
      case "object":
        return objectFor(schema, depth);
      default:
        return random.pick(anything);
    }
  };

  const typeOf = (schema: Schema): unknown => {
    if (schema["type"] !== undefined) return random.pick([schema["type"]].flat());
    if ("properties" in schema || "required" in schema) return "object";
    if ("items" in schema || "prefixItems" in schema) return "array";
    return "pattern" in schema || "format" in schema || "minLength" in schema ? "string" : undefined;
  };

  const resolve = (schema: Schema): Schema => {
    const { $ref, allOf, ...others } = schema;
    const parts = [
      ...(typeof $ref === "string" ? [lookUp(root, $ref)] : []),
      ...(Array.isArray(allOf) ? allOf : []),
    ].filter((part): part is Schema => typeof part === "object" && part !== null);
    return parts.length === 0 ? schema : merged([others, ...parts.map((part) => resolve(part))]);
  };

  const textFor = ({ minLength = 0, maxLength, pattern, format }: Schema): string => {
    const known = formats[String(format)]?.examples;
    if (known !== undefined) return random.pick(known);
    if (typeof pattern === "string") {
      const fitting = samples.filter((each) => expression(pattern).test(each));
      return fitting.length > 0 && random.chance(0.3) ? random.pick(fitting) : textOfPattern(pattern, random);
    }
    const least = Number(minLength);
    const most = Math.min(Number(maxLength ?? least + 12), least + 12);
    const length = random.pick([least, most, random.integer(least, Math.max(least, most))]);
    const alphabet = random.chance(0.8) ? plain : special;
    return Array.from({ length }, () => random.pick(alphabet)).join("");
  };

  const numberFor = (
    { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema,
    isInteger: boolean,
  ): number => {
    const step = typeof multipleOf === "number" ? multipleOf : isInteger ? 1 : 0.25;
    const above = typeof exclusiveMinimum === "number" ? exclusiveMinimum + step : -Infinity;
    const below = typeof exclusiveMaximum === "number" ? exclusiveMaximum - step : Infinity;
    const least = Math.max(Number(minimum ?? -Infinity), above);
    const most = Math.min(Number(maximum ?? Infinity), below);
    const from = Number.isFinite(least) ? least : Number.isFinite(most) ? most - 100 : -3;
    const to = Math.min(most, from + 100);
    const chosen = random.pick([from, to, from + (random.integer(0, 1000) / 1000) * (to - from)]);
    return Math.min(to, Math.ceil(chosen / step) * step);
  };

  const arrayFor = (schema: Schema, depth: number): unknown => {
    const { minItems = 0, maxItems, items, prefixItems = [] } = schema;
    const least = Number(minItems);
    const most = Math.min(Number(maxItems ?? least + 3), least + 3);
    const first = (prefixItems as readonly unknown[]).map((each) => draft(each, depth + 1));
    const length = depth > 3 ? least : random.integer(least, Math.max(least, most));
    if (items === false) return first;
    return [...first, ...Array.from({ length: Math.max(0, length - first.length) }, () => draft(items, depth + 1))];
  };

  const objectFor = ({ properties = {}, required = [], additionalProperties }: Schema, depth: number): unknown => {
    const needed = new Set(required as readonly string[]);
    const share = depth > 3 ? 0 : 0.5;
    const chosen = Object.entries(properties as Schema).filter(([name]) => needed.has(name) || random.chance(share));
    const made = chosen.map(([name, schema]) => [name, draft(schema, depth + 1)] as const);
    const isMap = typeof additionalProperties === "object" && Object.keys(properties as Schema).length === 0;
    const further = isMap && depth <= 3 ? [[textFor({ minLength: 1 }), draft(additionalProperties, depth + 1)]] : [];
    return Object.fromEntries([...made, ...further]);
  };

  const breakages = (given: unknown, good: unknown, depth: number): readonly BrokenValue[] => {
    const schema = typeof given === "object" && given !== null ? resolve(given as Schema) : {};
    const whole = (value: unknown, how: string): BrokenValue => ({ value, pointer: "#", how });
    const all: BrokenValue[] = wrongTypes
      .filter((value) => !allows(schema, value))
      .slice(0, 2)
      .map((value) => whole(value, `${JSON.stringify(value)} for a value of another type`));
    if (typeof good === "string")
      all.push(...brokenTexts(schema, good).map((text) => whole(text, "a text that breaks a rule")));
    if (typeof good === "number") {
      all.push(...brokenNumbers(schema, good).map((number) => whole(number, "a number that breaks a rule")));
    }
    if (depth > 3) return all;
    if (Array.isArray(good)) all.push(...brokenArrays(schema, good, depth));
    else if (typeof good === "object" && good !== null) all.push(...brokenObjects(schema, good, depth));
    return all;
  };

  const brokenArrays = (
    { items, maxItems }: Schema,
    good: readonly unknown[],
    depth: number,
  ): readonly BrokenValue[] => {
    const within = breakages(items, good[0], depth + 1).slice(0, good.length === 0 ? 0 : 3);
    const most = Number(maxItems ?? Infinity);
    const tooMany = Array.from({ length: most <= 100 ? most + 1 : 0 }, (_, i) => good[i] ?? draft(items, 4));
    return [
      ...within.map(({ value, pointer, how }) => ({
        value: [value, ...good.slice(1)],
        pointer: `#/0${pointer.slice(1)}`,
        how,
      })),
      ...(tooMany.length > 0 ? [{ value: tooMany, pointer: "#", how: "an element too many" }] : []),
    ];
  };

  const brokenObjects = (schema: Schema, good: object, depth: number): readonly BrokenValue[] => {
    const { properties = {}, required = [], additionalProperties } = schema;
    const without = (required as readonly string[]).map((name): BrokenValue => {
      const { [name]: _, ...others } = good as Schema;
      return { value: others, pointer: `#/${pointerToken(name)}`, how: `the member "${name}" is left out` };
    });
    const unknown = "x-unknown-member";
    const added = { value: { ...good, [unknown]: 1 }, pointer: `#/${unknown}`, how: "an unknown member" };
    const within = Object.entries(properties as Schema).flatMap(([name, each]) => {
      const value = (good as Schema)[name] ?? draft(each, depth + 1);
      return breakages(each, value, depth + 1).map((broken): BrokenValue => {
        const pointer = `#/${pointerToken(name)}${broken.pointer.slice(1)}`;
        return { value: { ...good, [name]: broken.value }, pointer, how: `${broken.how}, at ${pointer}` };
      });
    });
    return [...without, ...(additionalProperties === false ? [added] : []), ...within];
  };

  return {
    good(schema) {
      for (let i = 0; i < 50; i++) {
        // The later ones are as small as they can be, which helps where schemas refer to themselves.
        const value = draft(schema, i < 30 ? 0 : 4);
        if (value !== undefined && allows(schema, value)) return value;
      }
      return undefined;
    },
    allows,
    broken: (schema, good) => breakages(schema, good, 0).filter(({ value }) => !allows(schema, value)),
  };
}

/** Puts schemas together that all hold, as far as their keywords have nothing against it. */
function merged(schemas: readonly unknown[]): Schema {
  const all = schemas.filter((each): each is Schema => typeof each === "object" && each !== null);
  const each = (keyword: string): readonly unknown[] => all.flatMap((schema) => schema[keyword] ?? []);
  const properties = Object.assign({}, ...all.map((schema) => schema["properties"]));
  const required = [...new Set(each("required"))];
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function brokenTexts({ minLength, maxLength, pattern, format }: Schema, good: string): readonly string[] {
  return [
    ...(typeof minLength === "number" && minLength > 0 ? ["", [...good].slice(0, minLength - 1).join("")] : []),
    ...(typeof maxLength === "number" && maxLength <= 10_000 ? [good.padEnd(maxLength + 1, "x")] : []),
    ...(pattern !== undefined || format !== undefined ? ["!", "x y"] : []),
  ];
}

function brokenNumbers({ minimum, maximum, type }: Schema, good: number): readonly number[] {
  return [
    ...(typeof minimum === "number" ? [minimum - 1] : []),
    ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? [maximum + 1] : []),
    ...(type === "integer" ? [good + 0.5] : []),
  ];
}

const wrongTypes: readonly unknown[] = ["a", 7, true, null, [], {}];
const anything: readonly unknown[] = ["a", 7, true, [], {}];
const plain = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
const special = ["ä", "😀", " ", '"', "&", "<", "%", "Ω", "\\", "a"];
const samples: readonly string[] = [
  "a",
  "A",
  "1",
  "12",
  "abc",
  "ABC",
  "a1",
  "2024-02-29",
  "a@example.org",
  "a-b",
  "https://example.org/",
  "/a",
];
