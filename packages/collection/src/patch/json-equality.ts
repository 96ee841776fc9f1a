import { isJsonObject } from "./merge-patch.ts";

/** Whether two JSON values are equal (RFC 6902 §4.6): numbers by size, arrays in order, objects in whatever order. */
export function isJsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((each, i) => isJsonEqual(each, other[i]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isJsonEqual(one[name], other[name]))
  );
}
