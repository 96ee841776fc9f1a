import { inlineReferences } from "../content/references.ts";
import { type StandardSchemaV1, toPointer } from "../content/standard-schema.ts";
import type { Schema } from "../description.ts";
import { isSchema, jsonSchemaOf } from "../input/from-text.ts";
import { type AnswerHandling, type AnswersData, isNone, isProblemType } from "./answered.ts";

/** As `AnswerHandling.find`. */
export function findInAnswers({ byStatus }: AnswersData): ReturnType<AnswerHandling["find"]> {
  return Object.entries(byStatus).flatMap(([status, answer]): ReturnType<AnswerHandling["find"]> => {
    const message = findInAnswer(status, answer);
    if (message !== undefined) return [{ kind: "invalid", message }];
    const at = isSchema(answer) ? openAt(outputOf(answer), answer["~standard"].vendor, []) : undefined;
    if (at === undefined) return [];
    const where = toPointer(at);
    return [
      { kind: "open", message: `The answer ${status} also sends members that its schema does not name, at ${where}` },
    ];
  });
}

type Keywords = { readonly [keyword: string]: unknown };

/** Returns the JSON Schema of what a schema returns; undefined where its library has none, "none" where it transforms what it takes. */
function outputOf(schema: StandardSchemaV1): Keywords | undefined {
  const { jsonSchema } = schema["~standard"] as Partial<Schema.Standard["~standard"]>; // where its library has it
  try {
    const keywords = jsonSchema?.output({ target: "draft-2020-12" });
    return keywords && (inlineReferences(keywords) as Keywords);
  } catch {
    return undefined;
  }
}

/** Returns the way to an object that keeps what it does not name. Valibot's objects drop it, which its JSON Schema does not say. */
function openAt(schema: unknown, vendor: string, path: readonly string[]): readonly string[] | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const { properties, items, additionalProperties, ...others } = schema as Keywords;
  if (typeof properties === "object" && properties !== null) {
    const keepsAll = additionalProperties === undefined ? vendor === "arktype" : isAnything(additionalProperties);
    if (keepsAll) return path;
    for (const [name, member] of Object.entries(properties)) {
      const found = openAt(member, vendor, [...path, name]);
      if (found !== undefined) return found;
    }
  }
  const inItems = openAt(items, vendor, [...path, "0"]);
  if (inItems !== undefined) return inItems;
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const members = others[keyword];
    for (const member of Array.isArray(members) ? members : []) {
      const found = openAt(member, vendor, path);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const isAnything = (schema: unknown): boolean =>
  schema === true || (typeof schema === "object" && schema !== null && Object.keys(schema).length === 0);

/** Returns whether a schema returns other values than it takes, as far as its JSON Schemas say: what is sent is then not what is documented. */
function transforms(schema: StandardSchemaV1): boolean {
  const taken = jsonSchemaOf(schema);
  if (taken === undefined) return false;
  const returned = outputOf(schema);
  return returned === undefined || hasOtherType(taken, returned);
}

function hasOtherType(taken: unknown, returned: unknown): boolean {
  if (typeof taken !== "object" || typeof returned !== "object" || taken === null || returned === null) return false;
  const [from, to] = [taken as Keywords, returned as Keywords];
  if (from["type"] !== undefined && to["type"] !== undefined && String(from["type"]) !== String(to["type"]))
    return true;
  const members = Object.entries((from["properties"] as Keywords | undefined) ?? {});
  const inMembers = members.some(([name, member]) =>
    hasOtherType(member, (to["properties"] as Keywords | undefined)?.[name]),
  );
  return inMembers || hasOtherType(from["items"], to["items"]);
}

function findInAnswer(status: string, answer: unknown): string | undefined {
  if (!/^[2-5]\d\d$/.test(status)) return `A response has a status of 200 to 599, not ${status}`;
  if (isNone(answer)) return undefined;
  if (isProblemType(answer)) {
    if (String(answer.status) === status) return undefined;
    return `The problem "${answer.code}" has the status ${answer.status}, and is declared as ${status}`;
  }
  if (!isSchema(answer))
    return `The answer ${status} has no schema that keeps to Standard Schema; none is for no content`;
  if (transforms(answer)) {
    return `The answer ${status} has a schema that transforms: it returns other values than it takes, and handlers give what is sent`;
  }
  return ["204", "205", "304"].includes(status) ? `A ${status} has no content: it is declared as none` : undefined;
}
