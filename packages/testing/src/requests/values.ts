import fc, { type Arbitrary } from "fast-check";
import { jsonReferences } from "waymark/internal";
import type { OpenApiDocument } from "waymark/openapi";
import { expression, type Schema, type Schemas } from "../schemas.ts";
import type { Random } from "./random.ts";

/** Values that the schemas of one document allow. */
export interface Values {
  /** Returns a value that the schema allows; undefined where none is found. */
  good(schema: unknown): unknown;
}

/** How deep values are made that are not required: schemas refer to themselves. */
const deepest = 4;

/** Returns what makes values for the schemas of a document, by arbitraries of fast-check. */
export function valuesOf(document: OpenApiDocument, schemas: Schemas, random: Random): Values {
  const [large, small] = [new Map<unknown, Arbitrary<unknown>>(), new Map<unknown, Arbitrary<unknown>>()];
  const arbitraryOf = (given: unknown, made: typeof large, depth: number): Arbitrary<unknown> => {
    const known = made.get(given) ?? anyFor(given, depth, document);
    made.set(given, known);
    return known;
  };
  return {
    good(schema) {
      for (let i = 0; i < 50; i++) {
        // The later ones are as small as they can be.
        const value = random.draw(i < 30 ? arbitraryOf(schema, large, 0) : arbitraryOf(schema, small, deepest));
        if (value !== undefined && schemas.allows(schema, value)) return value;
      }
      return undefined;
    },
  };
}

/** Returns an arbitrary of values that a schema likely allows; the caller looks whether it does. */
function anyFor(given: unknown, depth: number, document: OpenApiDocument): Arbitrary<unknown> {
  if (typeof given !== "object" || given === null) return anything;
  const schema = resolve(given as Schema, document); // no other objects are schemas
  const { const: only, enum: values, anyOf, oneOf, default: fallback, examples } = schema;
  if ("const" in schema) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) {
    const { anyOf: _, oneOf: __, ...others } = schema;
    const tried = depth >= deepest ? choices.slice(0, 1) : choices;
    return fc.oneof(...tried.map((choice) => anyFor(merged([others, choice]), depth + 1, document)));
  }
  const byType = fc.oneof(...typesOf(schema).map((type) => ofType(type, schema, depth, document)));
  const known = [...(Array.isArray(examples) ? examples : []), ...(fallback === undefined ? [] : [fallback])];
  if (known.length === 0) return byType;
  return fc.oneof({ arbitrary: byType, weight: 2 }, { arbitrary: fc.constantFrom(...known), weight: 1 });
}

const anything: Arbitrary<unknown> = fc.constantFrom<unknown>("a", 7, true, [], {});

function typesOf(schema: Schema): readonly unknown[] {
  if (schema["type"] !== undefined) return [schema["type"]].flat();
  if ("properties" in schema || "required" in schema) return ["object"];
  if ("items" in schema || "prefixItems" in schema) return ["array"];
  return "pattern" in schema || "format" in schema || "minLength" in schema ? ["string"] : [undefined];
}

function ofType(type: unknown, schema: Schema, depth: number, document: OpenApiDocument): Arbitrary<unknown> {
  switch (type) {
    case "string":
      return textFor(schema);
    case "integer":
      return numberFor(schema, 1);
    case "number":
      return numberFor(schema, 0.25);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return arrayFor(schema, depth, document);
    case "object":
      return objectFor(schema, depth, document);
    default:
      return anything;
  }
}

function textFor({ minLength = 0, maxLength, pattern, format }: Schema): Arbitrary<string> {
  const ofFormat = formats[String(format)];
  if (ofFormat !== undefined) return ofFormat;
  if (typeof pattern === "string") {
    const known = matching.get(pattern) ?? textMatching(pattern);
    matching.set(pattern, known);
    return known;
  }
  const least = Number(minLength);
  const most = Math.min(Number(maxLength ?? least + 12), least + 12);
  const plain = fc.string({ unit: fc.constantFrom(...alphabet), minLength: least, maxLength: most });
  const any = fc.string({ unit: fc.constantFrom(...special), minLength: least, maxLength: most });
  // What is allowed at most is sent, too, and where that is anything, something long: clients do.
  const longest = "x".repeat(Math.min(Number(maxLength ?? 100), 1000));
  return fc.oneof({ arbitrary: plain, weight: 4 }, { arbitrary: any, weight: 1 }, fc.constant(longest));
}

/** By pattern: fast-check takes its time to make one of each character that there is. */
const matching = new Map<string, Arbitrary<string>>();

function textMatching(pattern: string): Arbitrary<string> {
  const fitting = samples.filter((each) => expression(pattern).test(each));
  try {
    const made = fc.stringMatching(expression(pattern));
    return fitting.length === 0 ? made : fc.oneof(made, made, fc.constantFrom(...fitting));
  } catch {
    return fitting.length === 0 ? fc.string() : fc.constantFrom(...fitting); // it reads no assertions
  }
}

function numberFor(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema,
  fraction: number,
): Arbitrary<number> {
  const step = typeof multipleOf === "number" ? multipleOf : fraction;
  const above = typeof exclusiveMinimum === "number" ? exclusiveMinimum + step : -Infinity;
  const below = typeof exclusiveMaximum === "number" ? exclusiveMaximum - step : Infinity;
  const least = Math.max(Number(minimum ?? -Infinity), above);
  const most = Math.min(Number(maximum ?? Infinity), below);
  const from = Number.isFinite(least) ? least : Number.isFinite(most) ? most - 100 : -3;
  const to = Math.max(from, Math.min(most, from + 100));
  const inSteps = fc
    .integer({ min: Math.ceil(from / step), max: Math.max(Math.ceil(from / step), Math.floor(to / step)) })
    .map((steps) => steps * step);
  return fc.oneof(inSteps, fc.constantFrom(from, Number.isFinite(most) ? most : to));
}

function arrayFor(schema: Schema, depth: number, document: OpenApiDocument): Arbitrary<unknown> {
  const { minItems = 0, maxItems, items, prefixItems = [] } = schema;
  const least = Number(minItems);
  const usual = least + (depth === 0 ? 20 : 3);
  const most = depth >= deepest ? least : Math.min(Number(maxItems ?? usual), usual);
  const first = (prefixItems as readonly unknown[]).map((each) => anyFor(each, depth + 1, document)); // as JSON Schema has it
  const rest = Math.max(0, least - first.length);
  const others =
    items === false || most === 0
      ? fc.constant([])
      : fc.array(anyFor(items, depth + 1, document), {
          ...(depth === 0 && { size: "max" as const }),
          minLength: rest,
          maxLength: Math.max(rest, most - first.length),
        });
  return fc.tuple(fc.tuple(...first), others).map(([begin, end]) => [...begin, ...end]);
}

function objectFor(schema: Schema, depth: number, document: OpenApiDocument): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const needed = required as readonly string[]; // as JSON Schema has it
  const members = Object.entries(properties as Schema).filter(([name]) => depth < deepest || needed.includes(name));
  const model = Object.fromEntries(members.map(([name, each]) => [name, anyFor(each, depth + 1, document)]));
  const requiredKeys = needed.filter((name) => Object.hasOwn(model, name));
  const record = fc.record(model, { requiredKeys, noNullPrototype: true });
  if (typeof additionalProperties !== "object" || members.length > 0 || depth >= deepest) return record;
  return fc.dictionary(fc.constantFrom(...samples), anyFor(additionalProperties, depth + 1, document), { maxKeys: 2 });
}

/** Returns a schema with what it refers to, and all of its `allOf`, in one piece. */
export function resolve(schema: Schema, document: object): Schema {
  const { $ref, allOf, ...others } = schema;
  const parts = [
    ...(typeof $ref === "string" ? [jsonReferences.lookUp(document, $ref)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
  ];
  const known = parts.filter((part): part is Schema => typeof part === "object" && part !== null);
  return known.length === 0 ? schema : merged([others, ...known.map((part) => resolve(part, document))]);
}

/** Puts schemas together that all hold, as far as their keywords have nothing against it. */
function merged(schemas: readonly unknown[]): Schema {
  const all = schemas.filter((each): each is Schema => typeof each === "object" && each !== null);
  const properties = Object.assign({}, ...all.map((schema) => schema["properties"]));
  const required = [...new Set(all.flatMap((schema) => schema["required"] ?? []))];
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

const day = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2026-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** Texts of the formats of JSON Schema. */
const formats: Readonly<Record<string, Arbitrary<string> | undefined>> = {
  date: day,
  time: fc.constantFrom("12:00:00Z", "23:59:59.5+02:00"),
  "date-time": day.map((date) => `${date}T12:00:00.5Z`),
  email: fc.constantFrom("ada@example.org", "a.b+c@mail.example.com"),
  hostname: fc.domain(),
  ipv4: fc.ipV4(),
  ipv6: fc.constantFrom("2001:db8::1", "::1"),
  uri: fc.webUrl({ withQueryParameters: true }),
  "uri-reference": fc.constantFrom("/a/b", "https://example.org/"),
  uuid: fc.uuid(),
};

const alphabet = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
const special = ["ä", "😀", " ", '"', "&", "<", "%", "Ω", "\\", "a"];

/** One for many patterns, among them those that assert something. */
const samples: readonly string[] = [
  ..."a A 1 12 abc ABC a1 2024-02-29 a@example.org a-b https://example.org/ /a".split(" "),
];
