import type { JsonSchema, NamedSchema, Schema, StandardJsonSchema } from "../description.ts";
import type { ComponentKind, Reference } from "./document.ts";

/** The parts of a document that are there once and referred to. */
export class Components {
  readonly #parts: Readonly<Record<ComponentKind, Map<string, { readonly value: object; readonly text: string }>>> = {
    schemas: new Map(),
    parameters: new Map(),
    headers: new Map(),
    responses: new Map(),
  };

  /** Returns a reference to the part, which gets the name, or the name and a number where another part has it. */
  share(kind: ComponentKind, name: string, value: object): Reference {
    const parts = this.#parts[kind];
    const text = JSON.stringify(value);
    let free = name;
    for (let i = 2; (parts.get(free)?.text ?? text) !== text; i++) free = `${name}${i}`;
    if (!parts.has(free)) parts.set(free, { value, text });
    return { $ref: `#/components/${kind}/${free}` };
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
      return { ...this.share("schemas", name, moveReferences(resolved, `#/components/schemas/${name}`)) };
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

  /** Returns all parts, each kind by name in alphabetical order. */
  toObject(): Readonly<Record<ComponentKind, Readonly<Record<string, object>>>> {
    const sorted = (kind: ComponentKind): Readonly<Record<string, object>> =>
      Object.fromEntries(
        [...this.#parts[kind]].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, { value }]) => [name, value]),
      );
    return {
      schemas: sorted("schemas"),
      parameters: sorted("parameters"),
      headers: sorted("headers"),
      responses: sorted("responses"),
    };
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
