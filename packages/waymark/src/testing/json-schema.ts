import { lookUp } from "../content/references.ts";
import { pointerToken } from "../content/standard-schema.ts";
import { formats } from "./formats.ts";

/** JSON Schema 2020-12, as documents have it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A place in a value that its schema does not allow. */
export interface SchemaFault {
  /** A JSON Pointer as the fragment of a URI. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * Returns where a value breaks its schema, one fault for each place. Of JSON Schema it knows what libraries write for values:
 * no `$dynamicRef`, `contains` or `unevaluated…`, and no vocabularies.
 *
 * @param root the document that references begin at
 */
export function faultsOf(schema: unknown, value: unknown, root: object, at = "#"): readonly SchemaFault[] {
  if (schema === true || schema === undefined) return [];
  if (schema === false) return [{ pointer: at, message: "must not be there" }];
  const own = schema as Schema; // there are no other schemas
  const faults: SchemaFault[] = [];
  const fail = (message: string): void => void faults.push({ pointer: at, message });
  const holds = (other: unknown): boolean => faultsOf(other, value, root, at).length === 0;
  const also = (other: unknown, part: unknown, place: string): void =>
    void faults.push(...faultsOf(other, part, root, place));
  const { $ref, type, const: only, enum: values, allOf, anyOf, oneOf, not, if: condition } = own;
  if (typeof $ref === "string") also(lookUp(root, $ref), value, at);
  if (type !== undefined && ![type].flat().some((each) => isOfType(value, each))) {
    fail(`must be ${[type].flat().join(" or ")}`);
  }
  if ("const" in own && !equal(value, only)) fail(`must be ${JSON.stringify(only)}`);
  if (Array.isArray(values) && !values.some((each) => equal(value, each)))
    fail(`must be one of ${JSON.stringify(values)}`);
  for (const each of list(allOf)) also(each, value, at);
  if (Array.isArray(anyOf) && !anyOf.some(holds)) fail("must be what one of its schemas allows");
  if (Array.isArray(oneOf) && oneOf.filter(holds).length !== 1) fail("must be what exactly one of its schemas allows");
  if (not !== undefined && holds(not)) fail("must not be what a schema allows");
  if (condition !== undefined) also(holds(condition) ? own["then"] : own["else"], value, at);
  if (typeof value === "string") for (const message of faultsOfText(own, value)) fail(message);
  if (typeof value === "number") for (const message of faultsOfNumber(own, value)) fail(message);
  if (Array.isArray(value)) faultsOfArray(own, value, fail, (each, part, i) => also(each, part, `${at}/${i}`));
  else if (typeof value === "object" && value !== null) {
    faultsOfObject(own, value, fail, (each, part, name) => also(each, part, `${at}/${pointerToken(name)}`));
  }
  return faults;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function* faultsOfText({ minLength, maxLength, pattern, format }: Schema, text: string): Generator<string> {
  const { length } = [...text];
  if (length < bound(minLength, 0)) yield `must have ${minLength} characters or more`;
  if (length > bound(maxLength, length)) yield `must have ${maxLength} characters or less`;
  if (typeof pattern === "string" && !expression(pattern).test(text)) yield `must match ${pattern}`;
  const known = formats[String(format)];
  if (known !== undefined && !known.holds(text)) yield `must be a text of the format ${format}`;
}

/** Returns a pattern of JSON Schema as an expression: those that are not Unicode's are read as they were written. */
export function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

function* faultsOfNumber(own: Schema, value: number): Generator<string> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = own;
  if (value < bound(minimum, value)) yield `must be ${minimum} or more`;
  if (value > bound(maximum, value)) yield `must be ${maximum} or less`;
  if (value <= bound(exclusiveMinimum, -Infinity)) yield `must be more than ${exclusiveMinimum}`;
  if (value >= bound(exclusiveMaximum, Infinity)) yield `must be less than ${exclusiveMaximum}`;
  const quotient = value / bound(multipleOf, value || 1);
  // Of 0.3 / 0.1 something remains that is not the fault of the value.
  if (Math.abs(quotient - Math.round(quotient)) > Math.abs(Math.round(quotient)) * Number.EPSILON)
    yield `must be a multiple of ${multipleOf}`;
}

type Also<K> = (schema: unknown, part: unknown, place: K) => void;

function faultsOfArray(
  own: Schema,
  value: readonly unknown[],
  fail: (message: string) => void,
  also: Also<number>,
): void {
  const { minItems, maxItems, uniqueItems, items } = own;
  if (value.length < bound(minItems, 0)) fail(`must have ${minItems} elements or more`);
  if (value.length > bound(maxItems, value.length)) fail(`must have ${maxItems} elements or less`);
  if (uniqueItems === true && value.some((each, i) => value.slice(0, i).some((other) => equal(each, other)))) {
    fail("must have no element twice");
  }
  const first = list(own["prefixItems"]);
  for (const [i, each] of value.entries()) also(i < first.length ? first[i] : items, each, i);
}

function faultsOfObject(own: Schema, value: object, fail: (message: string) => void, also: Also<string>): void {
  const { properties = {}, patternProperties = {}, additionalProperties, propertyNames, required } = own;
  const { minProperties, maxProperties } = own;
  const members = Object.entries(value);
  for (const name of list(required)) if (!Object.hasOwn(value, String(name))) fail(`must have the member ${name}`);
  if (members.length < bound(minProperties, 0)) fail(`must have ${minProperties} members or more`);
  if (members.length > bound(maxProperties, members.length)) fail(`must have ${maxProperties} members or less`);
  for (const [name, member] of members) {
    const patterns = Object.entries(patternProperties as Schema).filter(([pattern]) => expression(pattern).test(name));
    const isKnown = Object.hasOwn(properties as object, name);
    if (isKnown) also((properties as Schema)[name], member, name);
    for (const [, schema] of patterns) also(schema, member, name);
    if (!isKnown && patterns.length === 0) also(additionalProperties, member, name);
    if (propertyNames !== undefined) also(propertyNames, name, name);
  }
}

const bound = (keyword: unknown, otherwise: number): number => (typeof keyword === "number" ? keyword : otherwise);

/** Whether two values of JSON are the same. */
function equal(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== others.length) return false;
  return names.every((name) => Object.hasOwn(other, name) && equal((one as Schema)[name], (other as Schema)[name]));
}
