import { excerpt, type ValidationIssue, type ValidationResult } from "waymark";
import { parsePointer } from "./json-pointer.ts";
import { isJsonObject } from "./merge-patch.ts";

/** One operation of a JSON Patch (RFC 6902 §4), with its pointers taken apart. */
export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "remove"; readonly path: readonly string[] }
  | { readonly op: "move" | "copy"; readonly path: readonly string[]; readonly from: readonly string[] };

/** Reads a JSON Patch from a JSON value: an array of operations, at most 1000. Members that mean nothing are ignored. */
export function parsePatch(value: unknown): ValidationResult<readonly PatchOperation[]> {
  if (!Array.isArray(value)) return { issues: [{ message: "must be an array of operations" }] };
  if (value.length > mostOperations) {
    return { issues: [{ message: `has ${value.length} operations, and may have ${mostOperations}` }] };
  }
  const issues: ValidationIssue[] = [];
  const operations = value.map((operation: unknown, index) =>
    parseOperation(operation, (message, ...path) => issues.push({ message, path: [index, ...path] })),
  );
  // Where nothing was reported each operation was read.
  return issues.length > 0 ? { issues } : { value: operations as readonly PatchOperation[] };
}

const mostOperations = 1000;

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
      if (path?.length === 0) report("is the whole, which only DELETE removes", "path");
      return path && { op, path };
    case "move":
    case "copy": {
      const from = parseMember("from", operation, report);
      if (path === undefined || from === undefined) return undefined;
      const isInside = from.length < path.length && from.every((token, i) => token === path[i]);
      if (op === "move" && isInside) report("lies inside of what is to be moved", "path");
      return { op, path, from };
    }
    default: {
      const known = "add, remove, replace, move, copy or test";
      report(op === undefined ? "is required" : `must be ${known}, and is ${excerpt(String(op))}`, "op");
      return undefined;
    }
  }
}

function parseMember(
  name: "path" | "from",
  operation: Readonly<Record<string, unknown>>,
  report: Report,
): readonly string[] | undefined {
  const text = operation[name];
  const tokens = typeof text === "string" ? parsePointer(text) : undefined;
  if (tokens === undefined) report('must be a JSON Pointer, such as "/address/postalCode"', name);
  return tokens;
}
