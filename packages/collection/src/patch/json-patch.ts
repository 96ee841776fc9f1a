import { excerpt, type ValidationIssue, type ValidationResult } from "waymark/content";
import { isJsonObject } from "./merge-patch.ts";

/** What a patch makes of a value; or the first operation that cannot be done, by its index, and why. */
type PatchOutcome =
  | { readonly kind: "patched"; readonly value: unknown }
  | { readonly kind: "failed"; readonly index: number; readonly detail: string };

/**
 * What the operations of a JSON Patch make of a JSON value, one after another, all of them or none (RFC 6902 §5). The
 * value is not changed: what is made shares its parts.
 *
 * ```ts
 * applyPatch({ name: "Ada" }, [{ op: "replace", path: ["name"], value: "Grace" }]);   // patched, { name: "Grace" }
 * ```
 */
export function applyPatch(target: unknown, patch: readonly PatchOperation[]): PatchOutcome {
  let value = target;
  let copied = 0;
  for (const [index, operation] of patch.entries()) {
    try {
      if (operation.op === "copy") copied += sizeOf(valueAt(value, operation.from), mostCopied - copied);
      value = apply(value, operation);
    } catch (error) {
      if (error instanceof PatchFailure) return { kind: "failed", index, detail: error.message };
      throw error;
    }
  }
  return { kind: "patched", value };
}

/** Operations that each double what is there would make anything of a few bytes: so much may be copied, in characters. */
const mostCopied = 1_048_576;

class PatchFailure extends Error {}

function apply(target: unknown, operation: PatchOperation): unknown {
  const { path } = operation;
  switch (operation.op) {
    case "add":
      return add(target, path, operation.value);
    case "remove":
      return remove(target, path);
    case "replace":
      return replace(target, path, operation.value);
    case "move":
      return add(remove(target, operation.from), path, valueAt(target, operation.from));
    case "copy":
      return add(target, path, valueAt(target, operation.from));
    case "test":
      if (isJsonEqual(valueAt(target, path), operation.value)) return target;
      throw new PatchFailure("the value there is another");
  }
}

type Path = readonly string[];

function valueAt(target: unknown, path: Path): unknown {
  return path.reduce(memberOf, target);
}

function add(target: unknown, path: Path, value: unknown): unknown {
  return change(target, path, value, (parent, token) => {
    if (!Array.isArray(parent)) return { ...parent, [token]: value };
    const index = token === "-" ? parent.length : indexOf(parent, token);
    return parent.toSpliced(index, 0, value);
  });
}

function replace(target: unknown, path: Path, value: unknown): unknown {
  return change(target, path, value, (parent, token) => {
    memberOf(parent, token);
    return Array.isArray(parent) ? parent.with(Number(token), value) : { ...parent, [token]: value };
  });
}

function remove(target: unknown, path: Path): unknown {
  return change(target, path, undefined, (parent, token) => {
    memberOf(parent, token);
    if (Array.isArray(parent)) return parent.toSpliced(Number(token), 1);
    return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== token));
  });
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The target with the object or array that the path leads into changed; `whole` where it leads to the target itself. */
function change(
  target: unknown,
  [token, ...rest]: Path,
  whole: unknown,
  changed: (parent: Container, token: string) => Container,
): unknown {
  if (token === undefined) return whole;
  if (rest.length === 0) return changed(containerOf(target, token), token);
  const inner = change(memberOf(target, token), rest, whole, changed);
  return Array.isArray(target) ? target.with(Number(token), inner) : { ...containerOf(target, token), [token]: inner };
}

/** The member or element, which must be there. */
function memberOf(target: unknown, token: string): unknown {
  const container = containerOf(target, token);
  if (Array.isArray(container)) {
    const index = indexOf(container, token);
    if (index < container.length) return container[index];
    throw new PatchFailure(`there is no element ${token} in an array of ${container.length}`);
  }
  // Only what the object has itself: not toString.
  if (Object.hasOwn(container, token)) return (container as Readonly<Record<string, unknown>>)[token];
  throw new PatchFailure(`there is no member ${excerpt(token)}`);
}

function containerOf(target: unknown, token: string): Container {
  if (Array.isArray(target) || isJsonObject(target)) return target;
  throw new PatchFailure(`there is no ${excerpt(token)} in what is neither an object nor an array`);
}

/** From 0 to the length of the array, which is behind its last element. */
function indexOf(array: readonly unknown[], token: string): number {
  const index = Number(token);
  if (/^(?:0|[1-9][0-9]*)$/.test(token) && index <= array.length) return index;
  throw new PatchFailure(`there is no element ${excerpt(token)} in an array of ${array.length}`);
}

/** About as many characters as the value has in JSON; refused beyond the limit, and not counted further. */
function sizeOf(value: unknown, limit: number): number {
  let size = typeof value === "string" ? value.length + 2 : 8;
  if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      size += name.length + 4;
      size += sizeOf(member, limit - size);
    }
  }
  if (size > limit) throw new PatchFailure(`the patch copies more than ${mostCopied} characters`);
  return size;
}

/** One operation of a JSON Patch (RFC 6902 §4), with its pointers taken apart. */
type PatchOperation =
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

/**
 * The names and indexes that a JSON Pointer leads by (RFC 6901); undefined when the text is none.
 *
 * ```ts
 * parsePointer("/address/a~1b");   // ["address", "a/b"]
 * ```
 */
export function parsePointer(text: string): readonly string[] | undefined {
  if ((text !== "" && !text.startsWith("/")) || /~(?![01])/.test(text)) return undefined;
  const [, ...tokens] = text.split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether two JSON values are equal (RFC 6902 §4.6): numbers by size, arrays in order, objects in whatever order. */
function isJsonEqual(one: unknown, other: unknown): boolean {
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
