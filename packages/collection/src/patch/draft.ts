import { wording } from "waymark/internal";
import { copyMembers, isJsonObject, setMember } from "../members/json-object.ts";
import { isJsonEqual } from "./json-equality.ts";
import { maxDepth, type PatchOperation } from "./json-patch.ts";

/** A copy-on-write view of a JSON value, which the operations of a patch change. */
export class Draft {
  value: unknown;
  /** The containers that were made here. Nothing else refers to them, so they can be changed. */
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

  /** Returns the object or array that holds the last part of the path, after making it and all those above it the draft's own. */
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

  /** @param token the part of the path that is looked up in the container */
  #ownContainer(value: unknown, token = ""): Container {
    const container = containerOf(value, token);
    if (this.#own.has(container)) return container;
    const own = Array.isArray(container) ? container.slice() : copyMembers(container);
    this.#own.add(own);
    return own;
  }

  /** Copies a value deeply. */
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

/** The reason why an operation is not applied. */
export class PatchFailure extends Error {
  readonly kind: "failed" | "excessive";
  readonly missing: MissingMember | undefined;

  constructor(message: string, kind: "failed" | "excessive" = "failed", missing?: MissingMember) {
    super(message);
    this.kind = kind;
    this.missing = missing;
  }
}

/** A member that is not there, and the object that lacks it. */
export interface MissingMember {
  readonly name: string;
  readonly within: object;
}

type Path = readonly string[];
type Container = unknown[] | Record<string, unknown>;

/** Returns a member or element, which must exist. */
function memberOf(target: unknown, token: string): unknown {
  const container = containerOf(target, token);
  if (Array.isArray(container)) {
    const index = indexOf(container, token);
    if (index < container.length) return container[index];
    throw new PatchFailure(`there is no element ${token} in an array of ${container.length}`);
  }
  // Inherited members such as toString are not members of the value.
  if (Object.hasOwn(container, token)) return container[token];
  const missing = { name: token, within: container };
  throw new PatchFailure(`there is no member ${wording.excerpt(token)}`, "failed", missing);
}

function setPart(container: Container, token: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(token)] = value;
  else setMember(container, token, value);
}

function containerOf(target: unknown, token: string): Container {
  if (Array.isArray(target)) return target;
  if (isJsonObject(target)) return target as Record<string, unknown>; // only the draft's own containers are changed
  throw new PatchFailure(`there is no ${wording.excerpt(token)} in what is neither an object nor an array`);
}

/** Returns an index from 0 to the length of the array; the length stands for the place after the last element. */
function indexOf(array: readonly unknown[], token: string): number {
  const index = Number(token);
  if (/^(?:0|[1-9][0-9]*)$/.test(token) && index <= array.length) return index;
  throw new PatchFailure(`there is no element ${wording.excerpt(token)} in an array of ${array.length}`);
}

/** In steps: 1 for each character of a copied or compared name or text, 8 for each value, 1 for each 16 elements that move. */
const mostSteps = 1_048_576;
const movedAtOnce = 16;
