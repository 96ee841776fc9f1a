import { copyMembers, isJsonObject, setMember } from "../members/json-object.ts";

/**
 * What a JSON merge patch makes of a value (RFC 7396 §2): members that are null in the patch are gone, objects are merged,
 * anything else is replaced whole. Neither argument is changed.
 *
 * ```ts
 * mergePatch({ a: 1, b: { c: 2 } }, { a: null, b: { d: 3 } });   // { b: { c: 2, d: 3 } }
 * ```
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = isJsonObject(target) ? copyMembers(target) : {};
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value === null) delete merged[name];
    else setMember(merged, name, mergePatch(Object.hasOwn(merged, name) ? merged[name] : undefined, value));
  }
  return merged;
}

/** Returns the merge patch that sets `address.postalCode`. */
export const patchAt = (member: string, value: unknown): unknown =>
  member.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
