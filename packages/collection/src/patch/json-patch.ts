import { excerpt, type ValidationIssue, type ValidationResult } from "waymark/content";
import { copyMembers, isJsonObject, setMember } from "./merge-patch.ts";

/** What a patch makes of a value; or why it is not done, and the index of the operation that stands against it. */
type PatchOutcome =
  | { readonly kind: "patched"; readonly value: unknown }
  /** The value is not such that the operation can be done. */
  | { readonly kind: "failed"; readonly index: number; readonly detail: string }
  /** It goes beyond what is done for one patch: with the operation, or as a whole. */
  | { readonly kind: "excessive"; readonly index: number | undefined; readonly detail: string };

/**
 * What the operations of a JSON Patch make of a JSON value, one after another, all of them or none (RFC 6902 §5). Neither
 * argument is changed: what is made shares their parts.
 *
 * It takes a time that grows with the length of both: an object or array is copied before its first change, and changed in
 * place from then on. What operations do beside that is counted, and bounded: the values that they set, what `copy` copies and
 * `test` compares, and the elements that give way to an insertion or close up after a removal.
 *
 * ```ts
 * applyPatch({ name: "Ada" }, [{ op: "replace", path: ["name"], value: "Grace" }]);   // patched, { name: "Grace" }
 * ```
 */
export function applyPatch(target: unknown, patch: readonly PatchOperation[]): PatchOutcome {
  const draft = new Draft(target);
  for (const [index, operation] of patch.entries()) {
    try {
      draft.apply(operation);
    } catch (error) {
      if (error instanceof PatchFailure) return { kind: error.kind, index, detail: error.message };
      throw error;
    }
  }
  if (isDeeper(draft.value, maxDepth)) {
    return { kind: "excessive", index: undefined, detail: `its result nests more than ${maxDepth} deep` };
  }
  return { kind: "patched", value: draft.value };
}

/** In characters: those of names and texts that are copied or compared, 8 for each value, 1 for each 16 elements that move. */
const mostSteps = 1_048_576;
const movedAtOnce = 16;

/** Arrays and objects in one another, as in JSON content. */
const maxDepth = 64;

class PatchFailure extends Error {
  readonly kind: "failed" | "excessive";

  constructor(message: string, kind: "failed" | "excessive" = "failed") {
    super(message);
    this.kind = kind;
  }
}

type Path = readonly string[];
type Container = unknown[] | Record<string, unknown>;

/** A value that operations change. */
class Draft {
  value: unknown;
  /** The containers that were made here: nothing else has them, so that they are changed in place. */
  readonly #own = new Set<Container>();
  #steps = 0;

  constructor(value: unknown) {
    this.value = value;
  }

  apply(operation: PatchOperation): void {
    const { path } = operation;
    switch (operation.op) {
      case "add":
        this.#count(operation.value);
        this.#add(path, operation.value);
        break;
      case "remove":
        this.#remove(path);
        break;
      case "replace":
        this.#count(operation.value);
        this.#replace(path, operation.value);
        break;
      case "move": {
        const moved = this.#valueAt(operation.from);
        this.#remove(operation.from);
        this.#add(path, moved);
        break;
      }
      case "copy":
        this.#add(path, this.#copy(this.#valueAt(operation.from), maxDepth));
        break;
      case "test":
        if (isJsonEqual(this.#valueAt(path), operation.value, (steps) => this.#spend(steps))) break;
        throw new PatchFailure("the value there is different");
    }
  }

  #valueAt(path: Path): unknown {
    return path.reduce(memberOf, this.value);
  }

  #add(path: Path, value: unknown): void {
    const token = path.at(-1);
    if (token === undefined) {
      this.value = value;
      return;
    }
    const parent = this.#parentOf(path);
    if (!Array.isArray(parent)) {
      setMember(parent, token, value);
      return;
    }
    const index = token === "-" ? parent.length : indexOf(parent, token);
    this.#spend((parent.length - index) / movedAtOnce);
    parent.splice(index, 0, value);
  }

  #replace(path: Path, value: unknown): void {
    const token = path.at(-1);
    if (token === undefined) {
      this.value = value;
      return;
    }
    const parent = this.#parentOf(path);
    memberOf(parent, token);
    setPart(parent, token, value);
  }

  #remove(path: Path): void {
    const token = path.at(-1);
    if (token === undefined) {
      this.value = undefined;
      return;
    }
    const parent = this.#parentOf(path);
    memberOf(parent, token);
    if (Array.isArray(parent)) {
      this.#spend((parent.length - Number(token)) / movedAtOnce);
      parent.splice(Number(token), 1);
    } else {
      delete parent[token];
    }
  }

  /** The object or array that the path leads into, made ready to be changed as those around it are. */
  #parentOf(path: Path): Container {
    let parent = this.#ownContainer(this.value, path[0]);
    this.value = parent;
    for (const [i, token] of path.slice(0, -1).entries()) {
      const inner = this.#ownContainer(memberOf(parent, token), path[i + 1]);
      setPart(parent, token, inner);
      parent = inner;
    }
    return parent;
  }

  /** @param token what is looked for in it */
  #ownContainer(value: unknown, token = ""): Container {
    const container = containerOf(value, token);
    if (this.#own.has(container)) return container;
    const own = Array.isArray(container) ? container.slice() : copyMembers(container);
    this.#own.add(own);
    return own;
  }

  /** A copy that shares nothing with the value. */
  #copy(value: unknown, depth: number): unknown {
    this.#spend(typeof value === "string" ? value.length : 8);
    if (typeof value !== "object" || value === null) return value;
    if (depth === 0) throw new PatchFailure(`the copied value nests more than ${maxDepth} deep`, "excessive");
    if (Array.isArray(value)) {
      const array = value.map((element) => this.#copy(element, depth - 1));
      this.#own.add(array);
      return array;
    }
    const object: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      this.#spend(name.length);
      setMember(object, name, this.#copy(member, depth - 1));
    }
    this.#own.add(object);
    return object;
  }

  #count(value: unknown): void {
    this.#spend(8);
    if (typeof value === "object" && value !== null) for (const part of Object.values(value)) this.#count(part);
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > mostSteps) {
      throw new PatchFailure(
        `the patch sets, copies, compares and shifts more than ${mostSteps} characters`,
        "excessive",
      );
    }
  }
}

function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isDeeper(part, limit - 1));
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
  if (Object.hasOwn(container, token)) return container[token];
  throw new PatchFailure(`there is no member ${excerpt(token)}`);
}

function setPart(container: Container, token: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(token)] = value;
  else setMember(container, token, value);
}

function containerOf(target: unknown, token: string): Container {
  if (Array.isArray(target)) return target;
  if (isJsonObject(target)) return target as Record<string, unknown>; // changed only where it is the draft's own
  throw new PatchFailure(`there is no ${excerpt(token)} in what is neither an object nor an array`);
}

/** From 0 to the length of the array, which is behind its last element. */
function indexOf(array: readonly unknown[], token: string): number {
  const index = Number(token);
  if (/^(?:0|[1-9][0-9]*)$/.test(token) && index <= array.length) return index;
  throw new PatchFailure(`there is no element ${excerpt(token)} in an array of ${array.length}`);
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
    return { issues: [{ message: `has ${value.length} operations; at most ${mostOperations} are allowed` }] };
  }
  const issues: ValidationIssue[] = [];
  const operations = value.map((operation: unknown, index) =>
    parseOperation(operation, (message, ...path) => issues.push({ message, path: [index, ...path] })),
  );
  // Where nothing was reported each operation was read.
  return issues.length > 0 ? { issues } : { value: operations as readonly PatchOperation[] };
}

const mostOperations = 1000;
/** No value nests deeper. */
const mostTokens = 64;

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
      report(op === undefined ? "is required" : `must be ${known}, not ${excerpt(String(op))}`, "op");
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
  const tokens = typeof text === "string" ? parsePointer(text, mostTokens) : undefined;
  if (tokens === undefined) report('must be a JSON Pointer, such as "/address/postalCode"', name);
  else if (tokens.length > mostTokens) report(`has more than ${mostTokens} levels`, name);
  return tokens;
}

/**
 * The names and indexes that a JSON Pointer leads by (RFC 6901), in an array one longer than `most` when there are more of them;
 * undefined when the text is not a JSON Pointer.
 *
 * ```ts
 * parsePointer("/address/a~1b", 64);   // ["address", "a/b"]
 * ```
 */
export function parsePointer(text: string, most: number): readonly string[] | undefined {
  if ((text !== "" && !text.startsWith("/")) || /~(?![01])/.test(text)) return undefined;
  const [, ...tokens] = text.split("/", most + 2);
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Whether two JSON values are equal (RFC 6902 §4.6): numbers by size, arrays in order, objects in whatever order.
 *
 * @param spend called with the length of what is compared next, in characters of JSON; it may throw
 */
function isJsonEqual(one: unknown, other: unknown, spend: (steps: number) => void): boolean {
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
