import { excerpt } from "waymark";
import { isJsonObject } from "./merge-patch.ts";
import type { Report } from "./query-parameters.ts";
import type { StoredRecord } from "./store.ts";

/**
 * The members that the parameter `fields` chooses, in its order: `name,address.postalCode`. The name of an object stands
 * for all of its members.
 */
export function parseFields(text: string, members: readonly string[], report: Report): readonly string[] {
  const fields = new Set<string>();
  for (const name of text.split(",")) {
    const meant = members.filter((member) => member === name || member.startsWith(`${name}.`));
    if (meant.length === 0) report("fields", `names ${excerpt(name)}, and the members are ${members.join(", ")}`);
    for (const member of meant) {
      if (fields.has(member)) report("fields", `names ${member} more than once`);
      fields.add(member);
    }
  }
  return [...fields];
}

/** The record with these members and no others, in this order. */
export function narrow(record: StoredRecord, fields: readonly string[]): StoredRecord {
  const whole: JsonObject = JSON.parse(record.json); // the store wrote the text of an object
  const chosen: MutableJsonObject = {};
  for (const field of fields) copyMember(whole, chosen, field.split("."));
  return { ...record, json: JSON.stringify(chosen) };
}

/** Batches of records with these members; as they are when none are named. */
export function narrowAll(
  batches: AsyncIterable<readonly StoredRecord[]>,
  fields: readonly string[] | undefined,
): AsyncIterable<readonly StoredRecord[]> {
  return fields === undefined ? batches : narrowBatches(batches, fields);
}

async function* narrowBatches(
  batches: AsyncIterable<readonly StoredRecord[]>,
  fields: readonly string[],
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  for await (const batch of batches) yield batch.map((record) => narrow(record, fields));
}

type JsonObject = Readonly<Record<string, unknown>>;
type MutableJsonObject = Record<string, unknown>;

function copyMember(from: JsonObject, to: MutableJsonObject, [name = "", ...inner]: readonly string[]): void {
  if (!Object.hasOwn(from, name)) return;
  const value = from[name];
  if (inner.length === 0) {
    to[name] = value;
  } else if (isJsonObject(value)) {
    // Made here by the member that came first.
    const target = (to[name] ?? {}) as MutableJsonObject;
    copyMember(value, target, inner);
    if (Object.keys(target).length > 0) to[name] = target;
  }
}
