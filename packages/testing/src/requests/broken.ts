import type { OpenApiDocument } from "waymark/openapi";
import type { Schema, Schemas } from "../schemas.ts";
import { resolve, type Values } from "./values.ts";

/** A value that a schema does not allow. */
export interface BrokenValue {
  readonly value: unknown;
  /** Where it is wrong, as the fragment of a URI. */
  readonly pointer: string;
  /** What was done to it. */
  readonly how: string;
}

/** Returns values that a schema does not allow, each wrong in one place; made of one that it allows. */
export function brokenValues(
  schema: unknown,
  good: unknown,
  document: OpenApiDocument,
  schemas: Schemas,
  values: Values,
): readonly BrokenValue[] {
  const breakages = (given: unknown, value: unknown, depth: number): readonly BrokenValue[] => {
    const own = typeof given === "object" && given !== null ? resolve(given as Schema, document) : {}; // as schemas are
    const wrong = wrongTypes.filter((each) => !schemas.allows(given, each)).slice(0, 2);
    const all = [
      ...wrong.map((each) => whole(each, `${JSON.stringify(each)} for a value of another type`)),
      ...brokenTexts(own, value).map((text) => whole(text, "a text that breaks a rule")),
      ...brokenNumbers(own, value).map((number) => whole(number, "a number that breaks a rule")),
    ];
    if (depth > 3) return all;
    if (Array.isArray(value)) return [...all, ...brokenArrays(own, value, depth)];
    return typeof value === "object" && value !== null ? [...all, ...brokenObjects(own, value, depth)] : all;
  };

  const brokenArrays = (
    { items, maxItems }: Schema,
    value: readonly unknown[],
    depth: number,
  ): readonly BrokenValue[] => {
    const within = value.length === 0 ? [] : breakages(items, value[0], depth + 1).slice(0, 3);
    const most = Number(maxItems ?? Infinity);
    const tooMany = Array.from({ length: most <= 100 ? most + 1 : 0 }, (_, i) => value[i] ?? values.good(items));
    return [
      ...within.map((each) => at("0", each, [each.value, ...value.slice(1)])),
      ...(tooMany.length > 0 ? [whole(tooMany, "an element too many")] : []),
    ];
  };

  const brokenObjects = (own: Schema, value: object, depth: number): readonly BrokenValue[] => {
    const { properties = {}, required = [], additionalProperties } = own;
    const without = (required as readonly string[]).map((name): BrokenValue => {
      const { [name]: _, ...others } = value as Schema; // an object of JSON
      return { value: others, pointer: `#/${token(name)}`, how: `the member "${name}" is left out` };
    });
    const unknown = "x-unknown-member";
    const added = { value: { ...value, [unknown]: 1 }, pointer: `#/${unknown}`, how: "an unknown member" };
    const within = Object.entries(properties as Schema).flatMap(([name, each]) => {
      const member = (value as Schema)[name] ?? values.good(each); // an object of JSON
      return breakages(each, member, depth + 1).map((broken) =>
        at(token(name), broken, { ...value, [name]: broken.value }),
      );
    });
    return [...without, ...(additionalProperties === false ? [added] : []), ...within];
  };

  return breakages(schema, good, 0).filter(({ value }) => !schemas.allows(schema, value));
}

const whole = (value: unknown, how: string): BrokenValue => ({ value, pointer: "#", how });

const at = (name: string, { pointer, how }: BrokenValue, value: unknown): BrokenValue => ({
  value,
  pointer: `#/${name}${pointer.slice(1)}`,
  how,
});

/** Writes a name as a part of a JSON Pointer (RFC 6901 §3). */
const token = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

function brokenTexts({ minLength, maxLength, pattern, format }: Schema, good: unknown): readonly string[] {
  if (typeof good !== "string") return [];
  return [
    ...(typeof minLength === "number" && minLength > 0 ? ["", [...good].slice(0, minLength - 1).join("")] : []),
    ...(typeof maxLength === "number" && maxLength <= 10_000 ? [good.padEnd(maxLength + 1, "x")] : []),
    ...(pattern !== undefined || format !== undefined ? ["!", "x y"] : []),
  ];
}

function brokenNumbers({ minimum, maximum, type }: Schema, good: unknown): readonly number[] {
  if (typeof good !== "number") return [];
  return [
    ...(typeof minimum === "number" ? [minimum - 1] : []),
    ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? [maximum + 1] : []),
    ...(type === "integer" ? [good + 0.5] : []),
  ];
}

const wrongTypes: readonly unknown[] = ["a", 7, true, null, [], {}];
