import { stepOf } from "../content/references.ts";
import { kindOf } from "../declaration.ts";
import type { JsonSchema, NamedSchema, Schema, StandardJsonSchema } from "../description.ts";
import type { ComponentKind, ReferenceObject } from "./document.ts";
import { schemaRoot } from "./references.ts";
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
    const resolved = this.#withoutDefinitions(this.#resolve(isNamed(schema) ? schema.schema : schema, direction));
    const name = isNamed(schema) ? schema.name : refersToItself(resolved) ? "Schema" : undefined;
    return name === undefined ? resolved : { ...this.#name(name, resolved) };
  }

  #resolve(schema: JsonSchema | StandardJsonSchema, direction: "input" | "output"): Readonly<Record<string, unknown>> {
    if (!hasJsonSchema(schema)) return this.#resolveWithin(schema, direction) as Readonly<Record<string, unknown>>; // of an object
    try {
      const { $schema: _, ...keywords } = schema["~standard"].jsonSchema[direction]({ target: "draft-2020-12" });
      return keywords;
    } catch {
      return {}; // Libraries refuse what JSON Schema has no words for, such as what a transformation returns.
    }
  }

  #resolveWithin(value: unknown, direction: "input" | "output"): unknown {
    if (isNamed(value) || hasJsonSchema(value)) return this.schema(value, direction);
    if (Array.isArray(value)) return value.map((member) => this.#resolveWithin(member, direction));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.#resolveWithin(member, direction)]),
    );
  }

  /** Returns a reference to the schema, which gets the name, or the name and a number where another one has it. */
  #name(name: string, value: object): ReferenceObject {
    for (let i = 1; ; i++) {
      const free = numbered(name, i);
      const $ref = schemaRoot + free;
      // References within a schema begin at its root, which is now this.
      if (this.#addAll([[free, mapReferences(value, (each) => each.replace(/^#(?=$|\/(?!components\/))/, $ref))]]))
        return { $ref };
    }
  }

  /** Returns the schema without its definitions, which are components of their own: those of several schemas are often the same. */
  #withoutDefinitions({ $defs = {}, ...schema }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const definitions = Object.entries($defs as Readonly<Record<string, object>>); // by the specification of JSON Schema
    if (definitions.length === 0) return schema;
    const names = new Map<string, string>();
    for (const [name] of definitions) {
      let free = toComponentName(name);
      while (names.values().some((taken) => taken === free)) free += "_";
      names.set(name, free);
    }
    for (let i = 1; ; i++) {
      const moved = <T extends object>(value: T): T =>
        mapReferences(value, (each) =>
          each.replace(/^#\/\$defs\/([^/]+)/, (whole, step: string) => {
            const name = names.get(step) ?? names.get(stepOf(step));
            return name === undefined ? whole : schemaRoot + numbered(name, i);
          }),
        );
      const all = definitions.map(([name, value]) => [numbered(names.get(name) ?? "", i), moved(value)] as const); // each has one
      if (this.#addAll(all)) return moved(schema);
    }
  }

  /** Adds schemas, unless a name is that of another one. */
  #addAll(schemas: readonly (readonly [name: string, value: object])[]): boolean {
    const texts = schemas.map(([name, value]) => ({ name, value, text: JSON.stringify(value) }));
    if (texts.some(({ name, text }) => (this.#schemas.get(name)?.text ?? text) !== text)) return false;
    for (const { name, ...schema } of texts) this.#schemas.set(name, schema);
    return true;
  }
}

/** Returns a text as the name of a component, which has neither blanks nor most signs. */
export const toComponentName = (text: string): string => text.replace(/[^A-Za-z0-9._-]+/g, "-");

const numbered = (name: string, i: number): string => (i === 1 ? name : `${name}${i}`);

/** Whether a schema has a name of `namedSchema`. */
export const isNamed = (value: unknown): value is NamedSchema => kindOf(value) === "named-schema";

/** Whether a schema of a library can say what it takes as JSON Schema. */
export const hasJsonSchema = (value: unknown): value is StandardJsonSchema =>
  (value as { "~standard"?: { jsonSchema?: unknown } } | null | undefined)?.["~standard"]?.jsonSchema !== undefined;

const refersToItself = (schema: object): boolean => JSON.stringify(schema).includes('"$ref":"#"');

const mapReferences = <T extends object>(value: T, map: ($ref: string) => string): T =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    key === "$ref" && typeof member === "string" ? map(member) : member,
  );
