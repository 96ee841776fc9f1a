import { isDeepStrictEqual } from "node:util";
import type { StandardSchemaV1 } from "waymark/content";
import type { Document } from "../stores/contract/store.ts";
import { isJsonObject, type JsonObject, without } from "./json-object.ts";
import { memberTest } from "./object-schema.ts";

/** Returns a record that was changed by a patch without the objects that have no member left, unless they may have any member. */
export function withoutEmptied(schema: object, changed: JsonObject): JsonObject {
  const has = memberTest(schema);
  const isEmptied = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0;
  return without(
    changed,
    Object.keys(changed).filter((name) => isEmptied(changed[name]) && !has([name, ""])),
  );
}

/** A changed record without what its schema does not have any more, and what puts that back into the valid record. */
interface SetAside {
  readonly due: JsonObject;
  readonly restore: (result: StandardSchemaV1.Result<Document>) => StandardSchemaV1.Result<Document>;
}

/**
 * Sets aside what a stored record has of members that its schema does not have any more, as far as a client has left it as it is: the
 * schema would refuse it, and the change may be of anything else. Looks at the members of the record, and at those of objects in it.
 */
export function setRetiredAside(schema: object, changed: JsonObject, stored: JsonObject): SetAside {
  const has = memberTest(schema);
  const isKept = (path: readonly string[], value: unknown, before: unknown): boolean =>
    before !== undefined && isDeepStrictEqual(value, before) && !has(path);
  const retired = Object.keys(stored).filter((name) => isKept([name], changed[name], stored[name]));
  const within = Object.entries(stored).flatMap(([name, before]) => {
    const now = changed[name];
    if (!isJsonObject(before) || !isJsonObject(now) || retired.includes(name)) return [];
    const names = Object.keys(before).filter((inner) => isKept([name, inner], now[inner], before[inner]));
    return names.length === 0 ? [] : [{ name, names, now }];
  });
  if (retired.length === 0 && within.length === 0) return { due: changed, restore: (result) => result };
  const due: Record<string, unknown> = { ...without(changed, retired) };
  for (const { name, names, now } of within) {
    const left = without(now, names);
    if (Object.keys(left).length > 0) due[name] = left;
    else delete due[name];
  }
  return {
    due,
    restore(result) {
      if (result.issues !== undefined) return result;
      const value: Record<string, unknown> = { ...result.value };
      for (const name of retired) value[name] = stored[name];
      for (const { name, names, now } of within) {
        const kept = Object.fromEntries(names.map((inner) => [inner, now[inner]]));
        value[name] = { ...(value[name] as JsonObject | undefined), ...kept };
      }
      return { value };
    },
  };
}
