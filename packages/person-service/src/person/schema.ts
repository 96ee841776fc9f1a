import {
  type Member,
  type RecordSchema,
  type RecordSchemaOptions,
  recordSchema,
  storeMembers,
} from "@waymark/collection";
import type { ValidationIssue, ValidationResult } from "waymark/content";
import { optional, type ValueSchema } from "waymark/schema";
import { contactListSchema, withContactLists } from "./contact-lists.ts";
import { withKept } from "./kept-members.ts";
import { textList } from "./lists.ts";
import { namesFor, type PersonMember } from "./member.ts";
import { type MemberList, ourMembers } from "./member-list.ts";
import { isObject, memberOf } from "./member-value.ts";
import { derivedName, nameSources, ownObject, partNames } from "./members.ts";
import type { Person } from "./person.ts";
import { countryCode, dateWithin, email, languageTag, matching, oneOf, pastDate, telephone, url } from "./rules.ts";
import { numeric, ruledString, text, truth } from "./text.ts";
import { keptProperty } from "./vcard-properties.ts";

/** A Standard Schema whose `validate` is synchronous and never throws, with the JSON Schema of what a client may send. */
export type PersonSchema = RecordSchema<Person>;

/**
 * Makes the schema of a person, which reports every wrong member. A null member counts as absent. Unknown members are refused by
 * name, as are `createdAt` and `updatedAt`. Text is kept unchanged; lengths count Unicode code points. `name` may be absent when
 * there is one of the other `nameSources`, from which it is derived.
 *
 * ```ts
 * personSchema()["~standard"].validate({ givenName: "Ada", familyName: "Lovelace", email: null });
 * // { value: { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace" } }
 * ```
 *
 * @param now the clock for today's date, read at each validation
 */
export function personSchema(now: () => Date = () => new Date(), members: MemberList = ourMembers): PersonSchema {
  return toSchema(members, now, {});
}

/** Makes the lenient schema of a person: it removes unknown members, and those that the server sets, instead of refusing them. */
export function lenientPersonSchema(now: () => Date, members: MemberList): PersonSchema {
  return toSchema(members, now, { lenient: true });
}

/** The members that the service sets, though a new person may have an id. */
export const serverMembers: readonly string[] = storeMembers.map(({ name }) => name);

function toSchema(members: MemberList, now: () => Date, options: RecordSchemaOptions): PersonSchema {
  const table = Object.fromEntries(members.entries.map(([name, member]) => [name, toMember(member, members, now)]));
  const schema = recordSchema(table, { ...options, noun: "a person", objects: { [ownObject]: ownObject } });
  const { "~standard": parts, ...rest } = schema as unknown as PersonSchema; // the type of the members is made of the same table
  const { jsonSchema } = parts;
  return {
    ...rest,
    "~standard": {
      ...parts,
      validate: (value) => withKept(value, withContactLists(withName(value, parts.validate(value)))),
      // At least one of them. Type generators make an unknown union of `anyOf`, and ignore `not`.
      jsonSchema: {
        input: (to) => ({ ...jsonSchema.input(to), ...hasNameSource }),
        output: (to) => ({ ...jsonSchema.output(to), ...hasNameSource }),
      },
    },
  };
}

const hasNameSource = { not: { allOf: nameSources.map((member) => ({ not: { required: [member] } })) } };

function toMember(member: PersonMember, members: MemberList, now: () => Date): Member {
  const { of, list, label, example } = member;
  return {
    schema:
      of !== undefined
        ? contactListSchema(valueSchemaOf(of, members, now), member)
        : list
          ? textList(schemaOf(member, now))
          : optional(schemaOf(member, now)),
    label: label.en,
    aliases: namesFor(member),
    ...(example !== undefined && { example }),
  };
}

/** Returns the schema of the values of a list: that of a member, or of an object of members. */
function valueSchemaOf(single: string, { byName }: MemberList, now: () => Date): ValueSchema<unknown> {
  const member = byName.get(single);
  if (member !== undefined) return schemaOf(member, now);
  const parts = partNames(single).flatMap((part) => {
    const each = byName.get(`${single}.${part}`);
    return each === undefined ? [] : [[part, { schema: optional(schemaOf(each, now)) }] as const];
  });
  return recordSchema(Object.fromEntries(parts), { noun: `an ${single}`, isSome: true });
}

function schemaOf(member: PersonMember, now: () => Date): ValueSchema<unknown> {
  const { kind, min = 1, max = 0, pattern, past, least, greatest, values = [] } = member;
  switch (kind) {
    case "id":
      return numeric({ isWhole: true, least: 1, greatest: Number.MAX_SAFE_INTEGER });
    case "line":
      return text({ min, max, pattern }, ...(pattern === undefined ? [] : [matching(pattern)]));
    case "text":
      return text({ min, max, multiline: true });
    case "date":
      return ruledString([past ? pastDate(now) : dateWithin(textOr(least), textOr(greatest))], { format: "date" });
    case "email":
      return text({ min, max }, email);
    case "telephone":
      return text({ min, max }, telephone);
    case "url":
      return text({ min, max }, url);
    case "country":
      return ruledString([countryCode], { pattern: "^[A-Z]{2}$" });
    case "language":
      return ruledString([languageTag], { maxLength: 255 });
    case "property":
      return text({ min, max }, keptProperty);
    case "integer":
    case "number":
      return numeric({ isWhole: kind === "integer", least: numberOr(least), greatest: numberOr(greatest) });
    case "boolean":
      return truth;
    case "choice":
      return ruledString([oneOf(values)], { enum: values });
  }
}

const numberOr = (bound: number | string | undefined): number | undefined =>
  bound === undefined ? undefined : Number(bound);
const textOr = (bound: number | string | undefined): string | undefined =>
  bound === undefined ? undefined : String(bound);

/** Adds the rule of the whole: a person has a name, which is made of its parts where a client sends none. */
function withName(sent: unknown, result: ValidationResult<Person>): ValidationResult<Person> {
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

const isGiven = (person: unknown, member: string): boolean => (memberOf(person, member) ?? null) !== null;

const nameMissing: ValidationIssue = {
  path: ["name"],
  message: `is required where there is no ${nameSources.slice(1).join(" or ")}`,
};
