import type { ComponentKind, ReferenceObject } from "./document.ts";

/** The kinds of components that are made of routes; schemas have the names that they are given. */
export type PartKind = Exclude<ComponentKind, "schemas">;

/** A part of a document, to which the document refers until it is complete. */
interface Part {
  readonly kind: PartKind;
  readonly name: string;
  readonly value: object;
}

/**
 * Keeps the parts to which a document refers. When it is complete, the part of a single reference takes the place of that, as in a
 * document that a person writes, and the others become components. Of several parts with one name, the most used is the component.
 */
export class SharedParts {
  readonly #byReference = new Map<string, Part>();
  readonly #references = new Map<string, ReferenceObject>();

  /** Returns the reference to a part; of equal ones the same. */
  refer(kind: PartKind, name: string, value: object): ReferenceObject {
    const key = JSON.stringify([kind, name, value]);
    const known = this.#references.get(key);
    if (known !== undefined) return known;
    const reference = { $ref: `part ${this.#references.size}` };
    this.#references.set(key, reference);
    this.#byReference.set(reference.$ref, { kind, name, value });
    return reference;
  }

  /** Returns the document with its parts in their places, and the components by kind and name. */
  settle<T extends object>(document: T): readonly [T, Readonly<Record<PartKind, Readonly<Record<string, object>>>>] {
    const chosen = this.#componentsOf(document);
    const settled = (value: unknown): unknown => {
      const part = this.#partOf(value);
      if (part === undefined) return mapMembers(value, settled);
      return chosen.has(part) ? { $ref: `#/components/${part.kind}/${part.name}` } : settled(part.value);
    };
    const ofKind = (kind: PartKind): Readonly<Record<string, object>> =>
      Object.fromEntries(
        [...chosen]
          .filter((part) => part.kind === kind)
          .map(({ name, value }) => [name, mapMembers(value, settled) as object] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      );
    const components = {
      parameters: ofKind("parameters"),
      headers: ofKind("headers"),
      responses: ofKind("responses"),
    };
    return [settled(document) as T, components]; // with the same members
  }

  /** Returns the parts that the document refers to more than once; of several with one name, only the most used. */
  #componentsOf(document: object): ReadonlySet<Part> {
    const uses = new Map<Part, number>();
    const count = (value: unknown): void => {
      const part = this.#partOf(value);
      if (part === undefined) return void mapMembers(value, count);
      const known = uses.get(part) ?? 0;
      uses.set(part, known + 1);
      if (known === 0) mapMembers(part.value, count);
    };
    count(document);
    const chosen = new Set<Part>();
    const taken = new Set<string>();
    for (const [part, number] of [...uses].toSorted(([, a], [, b]) => b - a)) {
      const name = `${part.kind} ${part.name}`;
      if (number === 1 || taken.has(name)) continue;
      taken.add(name);
      chosen.add(part);
    }
    return chosen;
  }

  #partOf(value: unknown): Part | undefined {
    return this.#byReference.get((value as Partial<ReferenceObject> | null | undefined)?.$ref ?? "");
  }
}

/** Returns an array or a plain object with each member mapped, and any other value as it is. */
function mapMembers(value: unknown, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)]));
}
