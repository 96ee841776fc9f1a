import type { StandardSchemaV1 } from "waymark/content";
import { wording } from "waymark/internal";
import { namedSchema, type Schema } from "waymark/openapi";
import { isJsonObject, type JsonObject } from "../members/json-object.ts";

/** One operation of a JSON Patch (RFC 6902 §4), with its pointers as lists of names and indexes. */
export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "remove"; readonly path: readonly string[] }
  | { readonly op: "move" | "copy"; readonly path: readonly string[]; readonly from: readonly string[] };

/** Reads a JSON Patch from a JSON value: an array of at most 1,000 operations. Ignores members that have no meaning. */
export function parsePatch(value: unknown): StandardSchemaV1.Result<readonly PatchOperation[]> {
  if (!Array.isArray(value)) return { issues: [{ message: "must be an array of operations" }] };
  if (value.length > mostOperations) {
    return { issues: [{ message: `has ${value.length} operations; at most ${mostOperations} are allowed` }] };
  }
  const issues: StandardSchemaV1.Issue[] = [];
  const operations = value.map((operation: unknown, index) =>
    parseOperation(operation, (message, ...path) => issues.push({ message, path: [index, ...path] })),
  );
  return issues.length > 0 ? { issues } : { value: operations as readonly PatchOperation[] }; // an operation without an issue is never undefined
}

const mostOperations = 1000;
/** As deep as JSON content may nest. */
export const maxDepth = 64;

type Report = (message: string, ...path: readonly string[]) => void;

function parseOperation(operation: unknown, report: Report): PatchOperation | undefined {
  if (!isJsonObject(operation)) {
    report("must be an object with an op and a path");
    return undefined;
  }
  const { op, value } = operation;
  const path = parseMember("path", operation, report);
  switch (op) {
    case "add":
    case "replace":
    case "test":
      if (!Object.hasOwn(operation, "value")) report("is required", "value");
      return path && { op, path, value };
    case "remove":
      if (path?.length === 0) report("is the whole record, which only DELETE removes", "path");
      return path && { op, path };
    case "move":
    case "copy": {
      const from = parseMember("from", operation, report);
      if (path === undefined || from === undefined) return undefined;
      const isInside = from.length < path.length && from.every((token, i) => token === path[i]);
      if (op === "move" && isInside) report("is inside the value to move", "path");
      return { op, path, from };
    }
    default: {
      const known = "add, remove, replace, move, copy or test";
      const sent = typeof op === "string" ? op : JSON.stringify(op);
      report(op === undefined ? "is required" : `must be ${known}, not ${wording.excerpt(sent)}`, "op");
      return undefined;
    }
  }
}

function parseMember(name: "path" | "from", operation: JsonObject, report: Report): readonly string[] | undefined {
  const text = operation[name];
  const tokens = typeof text === "string" ? parsePointer(text) : undefined;
  if (tokens === undefined) report('must be a JSON Pointer, such as "/address/postalCode"', name);
  else if (tokens.length > maxDepth) report(`has more than ${maxDepth} levels`, name);
  return tokens;
}

/**
 * Returns the names and indexes of a JSON Pointer (RFC 6901), at most one more than it may have; undefined when the text is not a
 * JSON Pointer.
 *
 * ```ts
 * parsePointer("/address/a~1b");   // ["address", "a/b"]
 * ```
 */
export function parsePointer(text: string): readonly string[] | undefined {
  if ((text !== "" && !text.startsWith("/")) || /~(?![01])/.test(text)) return undefined;
  const [, ...tokens] = text.split("/", maxDepth + 2);
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A JSON Patch (RFC 6902). */
export const jsonPatchSchema: Schema.Named = namedSchema("JsonPatch", {
  type: "array",
  description: "The operations, done in order, all or none (RFC 6902).",
  items: {
    type: "object",
    required: ["op", "path"],
    properties: {
      op: { enum: ["add", "remove", "replace", "move", "copy", "test"] },
      path: { type: "string", description: "A JSON Pointer to what is changed.", pattern: "^(?:/.*)?$" },
      from: { type: "string", description: "For `move` and `copy`.", pattern: "^(?:/.*)?$" },
      value: { description: "For `add`, `replace` and `test`." },
    },
  },
});
