import { wording } from "waymark/internal";
import { isJsonObject, type JsonObject } from "../members/json-object.ts";
import type { Representation } from "../representation.ts";
import type { StoredRecord } from "../stores/contract/store.ts";
import { formatParameter, type Parameter, type Query, queryOf, type ReportFault } from "./parameter-table.ts";
import type { Report } from "./parameters.ts";

/** Makes what reads the query of one record in a representation: the members that it chooses; undefined for all. */
export function recordQuery(
  members: readonly string[] | undefined,
  representations: readonly Representation[],
): Query<readonly string[] | undefined, [Representation]> {
  const table = { ...(members && { fields: fieldsParameter(members) }), format: formatParameter(representations) };
  return queryOf(table, ({ fields }, { report }, representation: Representation) => {
    requireChoice(fields, representation, report);
    return fields;
  });
}

/** The choice of members. */
export const fieldsParameter = (members: readonly string[]): Parameter<readonly string[]> => ({
  description: `The members to send, separated by commas; no others are sent then, also where the schema says that they are required: ${members.join(", ")}.`,
  schema: { type: "string", pattern: "^[^,]+(?:,[^,]+)*$" },
  parse: (text, report) => parseFields(text, members, report),
});

/** Reports the parameter `fields` where the representation does not let clients choose. */
export function requireChoice(
  fields: readonly string[] | undefined,
  { whole = false, mediaType }: Representation,
  report: Report,
): void {
  if (whole && fields !== undefined) report("fields", `cannot be used with ${mediaType}, which sends whole records`);
}

/** Returns the record with only these members, in this order; unchanged when `fields` is undefined. */
export function narrow(record: StoredRecord, fields: readonly string[] | undefined): StoredRecord {
  if (fields === undefined) return record;
  const whole: JsonObject = JSON.parse(record.json); // the store keeps objects only
  const chosen: MutableJsonObject = {};
  for (const field of fields) copyMember(whole, chosen, field.split("."));
  return { ...record, json: JSON.stringify(chosen) };
}

/** Reads the members that the parameter `fields` chooses, in its order: `name,address.postalCode`. */
function parseFields(text: string, members: readonly string[], report: ReportFault): readonly string[] {
  const fields = new Set<string>();
  for (const name of text.split(",")) {
    const meant = membersOf(name, members);
    if (meant.length === 0) {
      report(
        () =>
          `names ${wording.excerpt(name)}, which is not a member${wording.orNearest(wording.nearestName(name, members))}`,
        members,
      );
    }
    for (const member of meant) {
      if (fields.has(member)) report(`names ${member} twice`);
      fields.add(member);
    }
  }
  return [...fields];
}

/** Returns the members that a name stands for: that member, or all in the object of this name. */
export const membersOf = (name: string, members: readonly string[]): readonly string[] =>
  members.filter((member) => member === name || member.startsWith(`${name}.`));

type MutableJsonObject = Record<string, unknown>;

function copyMember(from: JsonObject, to: MutableJsonObject, [name = "", ...inner]: readonly string[]): void {
  if (!Object.hasOwn(from, name)) return;
  const value = from[name];
  if (inner.length === 0) {
    to[name] = value;
  } else if (isJsonObject(value)) {
    // An object that an earlier field made.
    const target = (to[name] ?? {}) as MutableJsonObject;
    copyMember(value, target, inner);
    if (Object.keys(target).length > 0) to[name] = target;
  }
}
