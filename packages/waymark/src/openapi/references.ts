import type { ReferenceObject } from "./document.ts";

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
