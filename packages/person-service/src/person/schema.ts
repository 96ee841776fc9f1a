import { isDeepStrictEqual } from "node:util";
import { type RecordSchema, recordSchema } from "@waymark/collection";
import { type Member, type RecordSchemaOptions, storeMembers } from "@waymark/collection/internal";
import type { StandardSchemaV1 } from "waymark/content";
import type * as z from "zod";
import { propertyRuleFor } from "./cards/vcard-properties.ts";
import { namesFor, type PersonMember } from "./members/member.ts";
import { type MemberList, ourMembers } from "./members/member-list.ts";
import { isGiven, isObject } from "./members/member-value.ts";
import {
  contexts,
  derivedName,
  features,
  furtherValues,
  mostValues,
  nameSources,
  ownObject,
  partNames,
} from "./members/members.ts";
import type { FurtherValue, Person } from "./members/person.ts";
import { type Fault, jsonType, oneOf, text, truth, valueSchemaOf } from "./members/value-schemas.ts";

/** A Standard Schema whose `validate` is synchronous and never throws, with the JSON Schema of what a client may send. */
export type PersonSchema = Pick<RecordSchema<Person>, "~standard" | "example">;

/**
 * Makes the schema of a person, which reports every wrong member. A null member counts as absent. Unknown members are refused by
 * name, as are `createdAt` and `updatedAt`. Text is kept unchanged; lengths count Unicode code points. `name` may be absent when
 * there is one of the other `nameSources`, from which it is derived. The values are schemas of zod; an issue has the code of its
 * fault, and the values that its message has.
 *
 * ```ts
 * personSchema()["~standard"].validate({ givenName: "Ada", familyName: "Lovelace", email: null });
 * // { value: { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace" } }
 * ```
 *
 * @param now the clock for today's date, read at each validation
 */
export function personSchema(now: () => Date = () => new Date(), members: MemberList = ourMembers): PersonSchema {
  return toSchema(tableOf(members, now), {});
}

/** Makes the schema of a person, and the lenient one: it removes unknown members, and those that the server sets, instead of refusing them. */
export function personSchemas(
  now: () => Date,
  members: MemberList,
): Readonly<Record<"schema" | "lenientSchema", PersonSchema>> {
  const table = tableOf(members, now);
  return { schema: toSchema(table, {}), lenientSchema: toSchema(table, { lenient: true }) };
}

/** The members that the service sets, though a new person may have an id. */
export const serverMembers: readonly string[] = storeMembers.map(({ name }) => name);

const tableOf = (members: MemberList, now: () => Date): Readonly<Record<string, Member>> =>
  Object.fromEntries(members.entries.map(([name, member]) => [name, toMember(member, members, now)]));

function toSchema(table: Readonly<Record<string, Member>>, options: RecordSchemaOptions): PersonSchema {
  const schema = recordSchema(table, { ...options, noun: "a person", objects: { [ownObject]: ownObject } });
  const { "~standard": parts, example } = schema as unknown as PersonSchema; // the type of the members is made of the same table
  const { jsonSchema } = parts;
  return {
    "~standard": {
      ...parts,
      validate: (value) => withName(value, withoutRepetition(withFaults(parts.validate(value)))),
      // At least one of them. Type generators make an unknown union of `anyOf`, and ignore `not`.
      jsonSchema: {
        input: (to) => ({ ...jsonSchema.input(to), ...hasNameSource }),
        output: (to) => ({ ...jsonSchema.output(to), ...hasNameSource }),
      },
    },
    example,
  };
}

const hasNameSource = {
  not: { allOf: nameSources.map((member) => ({ not: { required: [member], properties: { [member]: {} } } })) },
};

function toMember(member: PersonMember, members: MemberList, now: () => Date): Member {
  const { of, list, label, example } = member;
  const judging = { now, property: propertyRuleFor(undefined) };
  const schema = (): StandardSchemaV1 => {
    if (of !== undefined) return furtherSchema(of, members, now);
    const value = valueSchemaOf(member, judging);
    return list ? listSchema(value, { uniqueItems: true }, (values) => repeated(values, [])) : value.optional();
  };
  return {
    schema: schema(),
    label: label.en,
    aliases: namesFor(member),
    ...(example !== undefined && { example }),
  };
}

/** Makes the schema of a list of further values with what is said of each: none twice, and at most one of them preferred. */
function furtherSchema(single: string, members: MemberList, now: () => Date): StandardSchemaV1 {
  const property = propertyRuleFor(single);
  const first = members.byName.get(single);
  const parts = partNames(single).flatMap((part) => {
    const member = members.byName.get(`${single}.${part}`);
    return member === undefined
      ? []
      : [[part, { schema: valueSchemaOf(member, { now, property }).optional() }] as const];
  });
  const value =
    first === undefined
      ? recordSchema(Object.fromEntries(parts), { noun: `an ${single}`, isSome: true })
      : valueSchemaOf(first, { now, property });
  const entry = recordSchema(
    {
      value: { schema: value },
      contexts: { schema: wordList(contexts) },
      ...(first?.kind === "telephone" && { features: { schema: wordList(features) } }),
      label: { schema: text({ min: 1, max: 100 }).optional() },
      preferred: { schema: truth.optional() },
      vCardProp: { schema: text({ min: 1, max: 4000 }, property).optional() },
    },
    { noun: "an entry" },
  );
  return listSchema(entry as unknown as Json, {}, (entries) => [
    ...repeated(entries, ["value"]),
    ...furtherPreferred(entries),
  ]); // of the same table
}

const wordList = (words: readonly string[]): StandardSchemaV1 =>
  listSchema(oneOf(words), { uniqueItems: true }, (values) => repeated(values, []));

function repeated(values: readonly unknown[], path: readonly string[]): readonly StandardSchemaV1.Issue[] {
  const [name] = path;
  const each = name === undefined ? values : values.map((entry) => (isObject(entry) ? entry[name] : undefined));
  return each.flatMap((value, i) =>
    each.slice(0, i).some((other) => isDeepStrictEqual(other, value))
      ? [{ path: [i, ...path], message: "is there twice", code: "repeated" }]
      : [],
  );
}

function furtherPreferred(entries: readonly unknown[]): readonly StandardSchemaV1.Issue[] {
  const marked = entries.flatMap((entry, i) => (isObject(entry) && entry["preferred"] === true ? [i] : []));
  return marked
    .slice(1)
    .map((i) => ({ path: [i, "preferred"], message: "is true for another one: one is preferred", code: "preferred" }));
}

/** A schema with a JSON Schema, such as one of zod. */
type Json = Pick<z.ZodType, "~standard">;

/**
 * Makes the schema of a list of at most 50 values, each validated by its schema; it may be absent, and counts as absent when it is empty.
 *
 * @param keywords further keywords of its JSON Schema
 * @param judge returns what is wrong with valid values together
 */
function listSchema(
  value: Json,
  keywords: Readonly<Record<string, unknown>>,
  judge: (values: readonly unknown[]) => readonly StandardSchemaV1.Issue[],
): StandardSchemaV1 {
  const { validate, jsonSchema } = value["~standard"];
  const schemaOf = (direction: "input" | "output") => (): Record<string, unknown> => {
    const { $schema: _, ...items } = jsonSchema[direction]({ target: "draft-2020-12" });
    return { type: "array", items, maxItems: mostValues, ...keywords };
  };
  const judged = {
    version: 1,
    vendor: "waymark",
    validate: (sent: unknown): StandardSchemaV1.Result<unknown> => {
      if (sent === undefined) return { value: undefined };
      if (!Array.isArray(sent))
        return { issues: [{ message: `must be a list, not ${jsonType(sent)}`, ...{ code: "type" } }] };
      if (sent.length > mostValues) {
        const message = `has ${sent.length} values; at most ${mostValues} are allowed`;
        return { issues: [{ message, ...{ code: "length", found: sent.length, most: mostValues } }] };
      }
      const values: unknown[] = [];
      const issues: StandardSchemaV1.Issue[] = [];
      for (const [i, each] of sent.entries()) {
        const result = validate(each) as StandardSchemaV1.Result<unknown>; // no schema here needs a promise
        if (result.issues === undefined) values.push(result.value);
        else for (const issue of result.issues) issues.push({ ...issue, path: [i, ...(issue.path ?? [])] });
      }
      if (issues.length === 0) issues.push(...judge(values));
      if (issues.length > 0) return { issues };
      return { value: values.length === 0 ? undefined : values };
    },
    jsonSchema: { input: schemaOf("input"), output: schemaOf("output") },
  } as const;
  return { "~standard": judged };
}

/** Returns a result whose issues have the code of their fault, and the values of its message. */
function withFaults(result: StandardSchemaV1.Result<Person>): StandardSchemaV1.Result<Person> {
  if (result.issues === undefined) return result;
  return {
    issues: result.issues.map((issue) => {
      const { path, message, code, params, ...others } = issue as StandardSchemaV1.Issue & {
        readonly code?: string;
        readonly params?: Fault;
      };
      const kind = params?.code ?? (code === "invalid_type" ? "type" : code);
      if (params === undefined && code !== "invalid_type") return { ...others, ...issue };
      return {
        ...(path !== undefined && { path: path as StandardSchemaV1.Issue["path"] }),
        message,
        code: kind,
        ...params?.values,
      };
    }),
  };
}

/** Refuses a further value that is the first one, too. */
function withoutRepetition(result: StandardSchemaV1.Result<Person>): StandardSchemaV1.Result<Person> {
  if (result.issues !== undefined) return result;
  const person: Readonly<Record<string, unknown>> = { ...result.value };
  const issues = furtherValues.flatMap(({ name, single }) => {
    const entries = (person[name] ?? []) as readonly FurtherValue[]; // by its schema
    const i = entries.findIndex(({ value }) => isDeepStrictEqual(value, person[single]));
    const message = `is the ${single} already: ${name} are the further ones`;
    return i < 0 ? [] : [{ path: [name, i, "value"], message, code: "repeated" }];
  });
  return issues.length > 0 ? { issues } : result;
}

/** Adds the rule of the whole: a person has a name, which is made of its parts where a client sends none. */
function withName(sent: unknown, result: StandardSchemaV1.Result<Person>): StandardSchemaV1.Result<Person> {
  if (result.issues !== undefined) {
    return isObject(sent) && !nameSources.some((member) => isGiven(sent, member))
      ? { issues: [nameMissing, ...result.issues] }
      : result;
  }
  // It may be without a name, unlike its type.
  const { value: person }: { readonly value: Partial<Person> } = result;
  if (person.name !== undefined) return result;
  const { id, ...members } = person;
  if (!nameSources.some((member) => isGiven(members, member))) return { issues: [nameMissing] };
  const value = { name: derivedName(members), ...members };
  return { value: id === undefined ? value : { id, ...value } };
}

const nameMissing = {
  path: ["name"],
  message: `is required where there is no ${nameSources.slice(1).join(" or ")}`,
  code: "required",
};
