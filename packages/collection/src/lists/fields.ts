import { excerpt, nearestName, orNearest } from "waymark/internal";
import { isJsonObject, type JsonObject } from "../members/json-object.ts";
import type { Representation } from "../representation.ts";
import type { StoredRecord } from "../stores/contract/store.ts";
import { formatParameter, type KnownParameters, type Report, readQuery, reportUnknown } from "./parameters.ts";

/**
 * Reads the members that the query of one record chooses; undefined for all.
 *
 * @throws HttpError 400 `invalid-parameters` for any other parameter, and where members cannot be chosen
 */
export function readFields(
  search: string,
  members: readonly string[] | undefined,
  representation: Representation,
): readonly string[] | undefined {
  if (search === "") return undefined;
  return readQuery(search, (parameters, report) => {
    let fields: readonly string[] | undefined;
    for (const [name, value] of parameters) {
      if (name === formatParameter) continue;
      if (name === "fields" && members !== undefined) fields = chooseFields(value, members, representation, report);
      else reportUnknown(name, parametersOfRecord(members), report);
    }
    return fields;
  });
}

const parametersOfRecord = (members: readonly string[] | undefined): KnownParameters => ({
  names: members === undefined ? [formatParameter] : ["fields", formatParameter],
  filters: [],
  members: [],
});

/** Reads the parameter `fields`; reports it where the representation does not let clients choose. */
export function chooseFields(
  text: string,
  members: readonly string[],
  { whole = false, mediaType }: Representation,
  report: Report,
): readonly string[] | undefined {
  if (!whole) return parseFields(text, members, report);
  report("fields", `cannot be used with ${mediaType}, which sends whole records`);
  return undefined;
}

/** Returns the record with only these members, in this order; unchanged when `fields` is undefined. */
export function narrow(record: StoredRecord, fields: readonly string[] | undefined): StoredRecord {
  if (fields === undefined) return record;
  const whole: JsonObject = JSON.parse(record.json); // the store keeps objects only
  const chosen: MutableJsonObject = {};
  for (const field of fields) copyMember(whole, chosen, field.split("."));
  return { ...record, json: JSON.stringify(chosen) };
}

/**
 * Reads the members that the parameter `fields` chooses, in its order: `name,address.postalCode`. The name of an object stands
 * for all of its members.
 */
function parseFields(text: string, members: readonly string[], report: Report): readonly string[] {
  const fields = new Set<string>();
  for (const name of text.split(",")) {
    const meant = members.filter((member) => member === name || member.startsWith(`${name}.`));
    if (meant.length === 0) {
      report(
        "fields",
        () => `names ${excerpt(name)}, which is not a member${orNearest(nearestName(name, members))}`,
        members,
      );
    }
    for (const member of meant) {
      if (fields.has(member)) report("fields", `names ${member} twice`);
      fields.add(member);
    }
  }
  return [...fields];
}

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
