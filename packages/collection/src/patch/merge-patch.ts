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
  const merged = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Whether a value that was read from JSON is an object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
