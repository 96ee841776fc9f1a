import type { OpenApiDocument, ReferenceObject } from "../document.ts";
import type { Names } from "./names.ts";
import type { Problems } from "./problems.ts";
import { lookUp, type Types } from "./types.ts";

/** What the parts of a client are written with. */
export interface Context {
  readonly document: OpenApiDocument;
  readonly names: Names;
  readonly types: Types;
  readonly problems: Problems;
}

/** Returns what a reference is to, or the value itself. */
export const resolve = <T extends object>(document: object, value: T | ReferenceObject): T =>
  "$ref" in value ? (lookUp(document, value.$ref) as T) : value; // a document refers only to what it has
