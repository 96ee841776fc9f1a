import { lookUp } from "../content/references.ts";
import type { ReferenceObject } from "./document.ts";

/** Returns what a reference is to, or the value itself. */
export const resolve = <T extends object>(document: object, value: T | ReferenceObject): T =>
  "$ref" in value ? (lookUp(document, value.$ref) as T) : value; // a document refers only to what it has

/** Where the schemas of a document are. */
export const schemaRoot = "#/components/schemas/";
