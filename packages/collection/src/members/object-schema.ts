import { jsonReferences, wording } from "waymark/internal";
import type { Schema } from "waymark/openapi";
import type { MemberType, SelectableMember } from "../stores/contract/selection.ts";
import { isJsonObject, type JsonObject } from "./json-object.ts";

/** A JSON Schema of objects. */
export interface ObjectSchema {
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/**
 * Returns the JSON Schema of what a schema takes or returns. Standard JSON Schema is a part that not every Standard Schema has:
 * without it, and where it has no words for the schema, the result has no properties.
 */
export function objectSchemaOf(schema: object, direction: "input" | "output"): ObjectSchema {
  const { $schema: _, ...keywords } = withoutName(jsonSchemaOf(schema, direction) ?? {});
  return { type: "object", ...keywords, properties: { ...(keywords["properties"] as object | undefined) } };
}

/** Returns the name that a schema has in its library, such as the `id` of zod. */
export function nameIn(schema: object): string | undefined {
  const { $ref } = jsonSchemaOf(schema, "input") ?? {};
  return /^#\/\$defs\/([A-Za-z][^/]*)$/.exec(String($ref))?.[1];
}

/** Returns the schema itself in the place of the reference to its name, and the name only where it is within itself. */
function withoutName(schema: JsonObject): JsonObject {
  const { $ref, ...others } = schema;
  if (typeof $ref !== "string") return schema;
  const own = { ...(jsonReferences.lookUp(schema, $ref) as JsonObject | undefined), ...others };
  if (JSON.stringify(own).includes(JSON.stringify($ref))) return own;
  const $defs = Object.entries(others["$defs"] ?? {}).filter(([name]) => $ref !== `#/$defs/${name}`);
  return { ...own, $defs: Object.fromEntries($defs) };
}

/**
 * Refuses names of members that no record can have, as far as the schema has a JSON Schema that says so.
 *
 * @param own the members that are set beside the schema
 * @param named the names, by the option in which they stand
 * @throws TypeError with the nearest name that there is, and all of them
 */
export function requireKnownMembers(
  schema: object,
  own: readonly string[],
  named: Readonly<Record<string, readonly string[]>>,
): void {
  const root = jsonSchemaOf(schema, "output");
  if (root === undefined) return;
  for (const [option, names] of Object.entries(named)) {
    const unknown = names.find((name) => !own.includes(name) && !mayHave(root, name.split("."), root));
    if (unknown === undefined) continue;
    const known = [...membersIn(root, root, deepestNames), ...own];
    const hint = wording.orNearest(wording.nearestName(unknown, known)) || ".";
    throw new TypeError(
      `${option} has ${wording.quote(unknown)}, and the schema of the records has no such member${hint} Known: ${known.join(", ")}`,
    );
  }
}

/**
 * Refuses a filter of a type that no value of its member has, as far as the schema has a JSON Schema that says so: nothing would be
 * found by it.
 *
 * @throws TypeError with the member, its filter, and what the schema has
 */
export function requireFittingTypes(schema: object, members: readonly SelectableMember[]): void {
  const root = jsonSchemaOf(schema, "output");
  if (root === undefined) return;
  for (const { name, type } of members) {
    const types = new Set(typesAt(root, name.split("."), root).filter((each) => each !== "null"));
    const compared = comparedTypes[type];
    if (types.size === 0 || types.has(anything) || compared.some((each) => types.has(each))) continue;
    throw new TypeError(
      `members has ${wording.quote(name)} with the filter ${type}, which compares a ${compared[0]}, and the schema of the records has ${[...types].join(" or ")} there`,
    );
  }
}

/** The types of JSON Schema that filters compare. */
const comparedTypes: Readonly<Record<MemberType, readonly [string, ...string[]]>> = {
  text: ["string"],
  exact: ["string"],
  date: ["string"],
  number: ["number", "integer"],
  boolean: ["boolean"],
  time: ["string"],
};

const anything = "anything";

/** The types that the values of a member may have, in a list one by one; none where it is not there. */
function typesAt(schema: unknown, path: readonly string[], root: unknown): readonly string[] {
  const [name, ...rest] = path;
  return alternatives(schema, root).flatMap(({ type, properties, items }): readonly string[] => {
    if (isJsonObject(items)) return typesAt(items, path, root);
    if (name === undefined) return type === undefined ? [anything] : ([type].flat() as string[]); // as JSON Schema has it
    return isJsonObject(properties) && Object.hasOwn(properties, name) ? typesAt(properties[name], rest, root) : [];
  });
}

/** Returns which of these names no record can have, as far as the schema has a JSON Schema that says so. */
export function unknownMembers(schema: object, names: readonly string[]): readonly string[] {
  const known = memberNamesOf(schema);
  const others = names.filter((name) => !known.includes(name));
  const root = others.length === 0 ? undefined : jsonSchemaOf(schema, "output");
  return root === undefined ? [] : others.filter((name) => !mayHave(root, [name], root));
}

/** Returns what tells whether a record of a schema may have a member, as far as the schema has a JSON Schema that says so. */
export function memberTest(schema: object): (path: readonly string[]) => boolean {
  const known = knownTests.get(schema);
  if (known !== undefined) return known;
  const root = jsonSchemaOf(schema, "output");
  const answers = new Map<string, boolean>();
  const test = (path: readonly string[]): boolean => {
    if (root === undefined) return true;
    const key = path.join(".");
    const answer = answers.get(key) ?? mayHave(root, path, root);
    if (answers.size < mostAnswers) answers.set(key, answer);
    return answer;
  };
  knownTests.set(schema, test);
  return test;
}

const knownTests = new WeakMap<object, (path: readonly string[]) => boolean>();

/** More members than a record of one schema has. */
const mostAnswers = 1000;

/** Returns the names of the members of a record, as far as the schema has a JSON Schema that says so. */
export function memberNamesOf(schema: object): readonly string[] {
  let names = knownNames.get(schema);
  if (names === undefined) {
    const root = jsonSchemaOf(schema, "output");
    names = membersIn(root, root, 0);
    knownNames.set(schema, names);
  }
  return names;
}

const knownNames = new WeakMap<object, readonly string[]>();

/**
 * Returns the members that clients can choose with `fields=`: those of the schema, `address.postalCode` of an object, and those that
 * are set beside it; undefined where the schema has no JSON Schema that names its members.
 */
export function fieldNames(schema: object, own: readonly string[]): readonly string[] | undefined {
  const root = jsonSchemaOf(schema, "output");
  const names = membersIn(root, root, deepestNames);
  if (names.length === 0) return undefined;
  const isObject = (name: string): boolean => names.some((other) => other.startsWith(`${name}.`));
  const leaves = names.filter((name) => !isObject(name));
  return [...new Set([...(own.includes("id") ? ["id"] : []), ...leaves, ...own])];
}

/** Undefined where the schema has no JSON Schema, or one that has no words for it, such as for what a transformation returns. */
function jsonSchemaOf(schema: object, direction: "input" | "output"): JsonObject | undefined {
  try {
    return (schema as Partial<Schema.Standard>)["~standard"]?.jsonSchema?.[direction]({ target: "draft-2020-12" });
  } catch {
    return undefined;
  }
}

/** Whether an object of this schema, or one in a list of it, may have a member. What has other members than it names may have any. */
function mayHave(schema: unknown, path: readonly string[], root: unknown): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  return alternatives(schema, root).some((each) => {
    const { type, properties, items, additionalProperties = false, patternProperties } = each;
    if (isJsonObject(items)) return mayHave(items, path, root);
    if (isJsonObject(properties) && Object.hasOwn(properties, name)) return mayHave(properties[name], rest, root);
    const isObject = properties !== undefined || type === "object" || type === undefined;
    return isObject && (additionalProperties !== false || patternProperties !== undefined || properties === undefined);
  });
}

/** The names of members, and of members in objects among them. */
function membersIn(schema: unknown, root: unknown, depth: number): readonly string[] {
  const names = alternatives(schema, root).flatMap(({ properties }) =>
    Object.entries(properties ?? {}).flatMap(([name, member]): readonly string[] => {
      const inner = depth === 0 ? [] : membersIn(member, root, depth - 1);
      return [name, ...inner.map((each) => `${name}.${each}`)];
    }),
  );
  return [...new Set(names)];
}

const deepestNames = 3;

/** What a value of the schema may be, with references followed; an empty schema is anything. */
function alternatives(schema: unknown, root: unknown, depth = 8): readonly JsonObject[] {
  if (!isJsonObject(schema) || depth === 0) return [{}];
  const { $ref, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === "string") return alternatives(jsonReferences.lookUp(root, $ref), root, depth - 1);
  const members = [anyOf, oneOf, allOf].flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : []));
  const within = members.flatMap((each) => alternatives(each, root, depth - 1));
  return within.length === 0 || schema["properties"] !== undefined ? [schema, ...within] : within;
}
