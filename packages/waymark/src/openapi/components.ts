import type { JsonSchema, NamedSchema, Schema, StandardJsonSchema } from "../description.ts";
import type { ComponentKind, ReferenceObject } from "./document.ts";
import { type PartKind, SharedParts } from "./shared-parts.ts";

/** The parts of a document that are there once and referred to. */
export class Components {
  readonly #schemas = new Map<string, { readonly value: object; readonly text: string }>();
  readonly #parts = new SharedParts();

  /** Returns a reference to a part, until the document is complete. */
  share(kind: PartKind, name: string, value: object): ReferenceObject {
    return this.#parts.refer(kind, name, value);
  }

  /** Returns the complete document: it has its own parts, and refers to those that are components. */
  complete<T extends object>(
    document: T,
  ): T & { readonly components: Readonly<Record<ComponentKind, Readonly<Record<string, object>>>> } {
    const [settled, components] = this.#parts.settle(document);
    const schemas = [...this.#schemas]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { value }]) => [name, value]);
    return { ...settled, components: { schemas: Object.fromEntries(schemas), ...components } };
  }

  /**
   * Returns the schema as JSON Schema, with references in place of the named ones in it.
   *
   * @param direction input for what clients send, output for what they get
   */
  schema(schema: Schema, direction: "input" | "output"): Readonly<Record<string, unknown>> {
    if (isNamed(schema)) {
      const { name } = schema;
      const resolved = this.#resolve(schema.schema, direction);
      return { ...this.#name(name, moveReferences(resolved, `#/components/schemas/${name}`)) };
    }
    return this.#resolve(schema, direction);
  }

  #resolve(schema: JsonSchema | StandardJsonSchema, direction: "input" | "output"): Readonly<Record<string, unknown>> {
    if (!isStandard(schema)) return this.#resolveWithin(schema, direction) as Readonly<Record<string, unknown>>; // of an object
    const { $schema: _, ...keywords } = schema["~standard"].jsonSchema[direction]({ target: "draft-2020-12" });
    return keywords;
  }

  #resolveWithin(value: unknown, direction: "input" | "output"): unknown {
    if (isNamed(value) || isStandard(value)) return this.schema(value, direction);
    if (Array.isArray(value)) return value.map((member) => this.#resolveWithin(member, direction));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.#resolveWithin(member, direction)]),
    );
  }

  /** Returns a reference to the schema, which gets the name, or the name and a number where another one has it. */
  #name(name: string, value: object): ReferenceObject {
    const text = JSON.stringify(value);
    let free = name;
    for (let i = 2; (this.#schemas.get(free)?.text ?? text) !== text; i++) free = `${name}${i}`;
    this.#schemas.set(free, { value, text });
    return { $ref: `#/components/schemas/${free}` };
  }
}

const isNamed = (value: unknown): value is NamedSchema =>
  (value as { kind?: unknown } | null | undefined)?.kind === "named-schema";

const isStandard = (value: unknown): value is StandardJsonSchema =>
  (value as { "~standard"?: { jsonSchema?: unknown } } | null | undefined)?.["~standard"]?.jsonSchema !== undefined;

/** References within a schema, `#/$defs/x`, begin at its root, which is now this. */
function moveReferences(value: object, root: string): object {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    key === "$ref" && typeof member === "string" && /^#(?:\/(?!components\/)|$)/.test(member)
      ? root + member.slice(1)
      : member,
  );
}
