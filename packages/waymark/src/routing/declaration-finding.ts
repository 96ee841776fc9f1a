import { isNone, isProblemType } from "../answers.ts";
import type { Finding } from "../app.ts";
import { inlineReferences } from "../content/references.ts";
import { type StandardSchemaV1, toPointer } from "../content/standard-schema.ts";
import type { Schema } from "../description.ts";
import { isSchema, jsonSchemaOf } from "../input/from-text.ts";
import { isProvider, type TakesData } from "../input/takes.ts";
import { type PathPattern, variableNames } from "../path/pattern.ts";
import type { Group, SingleRoute } from "../route.ts";

/** What is wrong, as far as it is known before the kind of the finding. */
type Fault = Omit<Finding, "kind">;

/**
 * Finds what is wrong with the inputs of a route and of the filters around it: values that are not schemas, variables that the path
 * lacks, values that nothing around provides, one parameter with two schemas, and strict queries without names.
 *
 * @param patterns those of one way to the route: the variables of all are there
 */
export function findInInputs(
  route: SingleRoute,
  groups: readonly Group[],
  patterns: readonly PathPattern[],
): readonly Finding[] {
  const found: Fault[] = [];
  const variables = new Set(patterns.flatMap(variableNames));
  const template = patterns[0]?.text ?? "";
  const provided = new Set<string>();
  const schemas = new Map<string, { readonly schema: unknown; readonly site: string }>();
  const look = (taken: TakesData | undefined): void => {
    if (taken === undefined) return;
    for (const name of taken.needed.filter((each) => !provided.has(each))) {
      found.push({
        message: `No filter of a group around it provides "${name}" before it is taken here`,
        site: taken.site,
      });
    }
    for (const { inputs, site } of taken.declared) {
      const { strict, query, invalidPath } = inputs;
      if (inputs.form !== undefined && inputs.body !== undefined)
        found.push({ message: "A route takes a form or a body: two routes with a contentType each take both", site });
      // JavaScript callers give anything.
      if (![undefined, true, false].includes(strict)) found.push({ message: "strict is true or false", site });
      if (![undefined, 400, 404].includes(invalidPath)) found.push({ message: "invalidPath is 400 or 404", site });
      if (strict !== true || !isSchema(query) || jsonSchemaOf(query)?.["properties"] !== undefined) continue;
      found.push({ message: "The query is strict, and its schema has no JSON Schema that names the parameters", site });
    }
    for (const { place, name, schema, site } of parametersOf(taken)) {
      const words = place === "body" ? "The body" : `The ${place} "${name}"`;
      if (!isSchema(schema)) found.push({ message: `${words} has no schema that keeps to Standard Schema`, site });
      if (place === "path variable" && !variables.has(name)) {
        found.push({ message: `The path "${template}" has no variable {${name}}, which is taken`, site });
      }
      const key = `${place} ${place === "header field" ? name.toLowerCase() : name}`;
      const known = schemas.get(key);
      schemas.set(key, { schema, site: String(site) });
      if (known !== undefined && known.schema !== schema) {
        found.push({ message: `${words} has another schema where it is taken at ${known.site}`, site });
      }
    }
  };
  for (const filter of groups.flatMap(({ filters }) => filters)) {
    look(filter.taken);
    if (isProvider(filter)) provided.add(filter.provided.name);
  }
  look(route.taken);
  return found.map((fault) => ({ kind: "invalid", ...fault }));
}

function parametersOf({ declared }: TakesData) {
  return declared.flatMap(({ inputs: { variables = {}, query = {}, fields = {}, form = {}, body }, site }) => {
    const each = (place: string, schemas: object) =>
      Object.entries(schemas).map(([name, schema]: [string, unknown]) => ({ place, name, schema, site }));
    return [
      ...each("path variable", variables),
      ...(isSchema(query) ? [] : each("query parameter", query)),
      ...each("header field", fields),
      ...each("form field", form),
      ...(body === undefined ? [] : each("body", { body })),
    ];
  });
}

/** Finds what is wrong with the answers that a route declares. */
export function findInAnswers(route: SingleRoute): readonly Finding[] {
  if (route.answers === undefined) return [];
  const { byStatus, site } = route.answers;
  return Object.entries(byStatus).flatMap(([status, answer]): readonly Finding[] => {
    const message = findInAnswer(status, answer);
    return message === undefined ? [] : [{ kind: "invalid", message, site }];
  });
}

/** Finds answers whose schemas keep members that they do not name: what a handler adds by mistake is sent. */
export function findOpenAnswers({ answers }: SingleRoute): readonly Finding[] {
  if (answers === undefined) return [];
  return Object.entries(answers.byStatus).flatMap(([status, answer]): readonly Finding[] => {
    const at = isSchema(answer) ? openAt(outputOf(answer), answer["~standard"].vendor, []) : undefined;
    if (at === undefined) return [];
    const message = `The answer ${status} also sends members that its schema does not name, at ${toPointer(at)}`;
    return [{ kind: "open", message, site: answers.site }];
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
