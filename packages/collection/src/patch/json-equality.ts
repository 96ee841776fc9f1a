import { isJsonObject } from "../members/json-object.ts";

/**
 * Returns whether two JSON values are equal (RFC 6902 §4.6): numbers by value, arrays element by element, objects in any order.
 *
 * @param spend called before each comparison with about its length in characters of JSON; may throw to end it
 */
export function isJsonEqual(one: unknown, other: unknown, spend: (steps: number) => void): boolean {
  if (typeof one === "string" && typeof other === "string") {
    if (one.length !== other.length) return false;
    spend(one.length);
    return one === other;
  }
  spend(8);
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((each, i) => isJsonEqual(each, other[i], spend))
    );
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  spend(8 * names.length);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isJsonEqual(one[name], other[name], spend))
  );
}
