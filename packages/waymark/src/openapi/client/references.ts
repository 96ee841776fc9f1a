import type { ReferenceObject } from "../document.ts";

/** Returns what a reference is to, or the value itself. */
export const resolve = <T extends object>(document: object, value: T | ReferenceObject): T =>
  "$ref" in value ? (lookUp(document, value.$ref) as T) : value; // a document refers only to what it has

/** Returns what a reference within a document is to; undefined where there is nothing. */
export function lookUp(document: object, $ref: string): unknown {
  const steps = $ref.split("/").slice(1);
  let value: unknown = document;
  for (const step of steps) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value;
}

/** Where the schemas of a document are. */
export const schemaRoot = "#/components/schemas/";

/**
 * Returns for each named schema the one whose type it shares. One that is both sent and read is there twice, as `Book` and as `Book2`,
 * which often differ only in what TypeScript cannot say.
 */
export function alike(schemas: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const names = Object.keys(schemas);
  // All that have a name in common are alike, until they differ, or what they refer to does.
  let found = new Map(names.map((name) => [name, name.replace(/\d+$/, "")]));
  for (;;) {
    const textOf = (name: string): string => {
      const text = JSON.stringify(schemas[name], (key, value: unknown) => {
        if (key === "additionalProperties" && value === false) return undefined;
        if (key !== "$ref" || typeof value !== "string") return value;
        return value.replace(/(?<=^#\/components\/schemas\/)[^/]+/, (other) => found.get(other) ?? other);
      });
      return `${found.get(name)} ${text}`;
    };
    const texts = new Map(names.map((name) => [name, textOf(name)]));
    const firsts = new Map(names.toReversed().map((name) => [texts.get(name), name]));
    const next = new Map(names.map((name) => [name, firsts.get(texts.get(name)) ?? name]));
    if (new Set(next.values()).size === new Set(found.values()).size) return next;
    found = next;
  }
}
