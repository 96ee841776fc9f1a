import { kindOf } from "../common/declaration.ts";
import { stepOf } from "../content/references.ts";
import type { JsonSchema, Schema } from "../description.ts";

/** Which side of a schema is meant: input for what clients send, output for what they get. */
export type Direction = "input" | "output";

/** The schemas of a document that have a name, once each. */
export class Schemas {
  readonly #byName = new Map<string, { readonly value: object; readonly text: string }>();

  /** In the order of their names. */
  get named(): Readonly<Record<string, object>> {
    const sorted = [...this.#byName].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, { value }]) => [name, value]));
  }

  /** Returns the schema as JSON Schema, with references in place of the named ones in it, and of what it defines. */
  toJsonSchema(schema: Schema, direction: Direction): Readonly<Record<string, unknown>> {
    const { $defs = {}, ...own } = this.#resolve(isNamed(schema) ? schema.schema : schema, direction);
    const name = isNamed(schema) ? schema.name : refersToItself(own) ? "Schema" : undefined;
    const definitions = Object.entries($defs as Readonly<Record<string, object>>); // by the specification of JSON Schema
    const names = new Map<string, string>();
    for (const [key] of definitions) {
      let free = toComponentName(key);
      while (names.values().some((taken) => taken === free)) free += "_";
      names.set(key, free);
    }
    // Where another schema has one of the names, a number follows all of them.
    for (let i = 1; ; i++) {
      const at = (each: string): string => `${root}${each}${i === 1 ? "" : i}`;
      const moved = <T extends object>(value: T): T =>
        mapReferences(value, ($ref) => {
          const [, step = "", rest = ""] = /^#\/\$defs\/([^/]+)(.*)/s.exec($ref) ?? [];
          const known = names.get(step) ?? names.get(stepOf(step));
          if (known !== undefined) return at(known) + rest;
          return name === undefined ? $ref : $ref.replace(/^#(?=$|\/(?!components\/))/, at(name));
        });
      const whole = moved(own);
      const all = definitions.map(([key, value]) => [at(names.get(key) ?? ""), moved(value)] as const); // each has one
      if (this.#addAll(name === undefined ? all : [...all, [at(name), whole]]))
        return name === undefined ? whole : { $ref: at(name) };
    }
  }

  #resolve(schema: JsonSchema | Schema.Standard, direction: Direction): Readonly<Record<string, unknown>> {
    if (!hasJsonSchema(schema)) return this.#resolveWithin(schema, direction) as Readonly<Record<string, unknown>>; // of an object
    try {
      const { $schema: _, ...keywords } = schema["~standard"].jsonSchema[direction]({ target: "draft-2020-12" });
      return keywords;
    } catch {
      return {}; // Libraries refuse what JSON Schema has no words for, such as what a transformation returns.
    }
  }

  #resolveWithin(value: unknown, direction: Direction): unknown {
    if (isNamed(value) || hasJsonSchema(value)) return this.toJsonSchema(value, direction);
    if (Array.isArray(value)) return value.map((member) => this.#resolveWithin(member, direction));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, this.#resolveWithin(member, direction)]);
    return Object.fromEntries(members);
  }

  /** Adds schemas by their references, unless one of these is that of another schema. */
  #addAll(schemas: readonly (readonly [$ref: string, value: object])[]): boolean {
    const texts = schemas.map(
      ([$ref, value]) => [$ref.slice(root.length), { value, text: JSON.stringify(value) }] as const,
    );
    if (texts.some(([name, { text }]) => (this.#byName.get(name)?.text ?? text) !== text)) return false;
    for (const [name, schema] of texts) this.#byName.set(name, schema);
    return true;
  }
}

const root = "#/components/schemas/";

/** Returns a text as the name of a component, which has neither blanks nor most signs. */
const toComponentName = (text: string): string => text.replace(/[^A-Za-z0-9._-]+/g, "-");

/** Whether a schema has a name of `namedSchema`. */
export const isNamed = (value: unknown): value is Schema.Named => kindOf(value) === "named-schema";

/** Whether a schema of a library can say what it takes as JSON Schema. */
export const hasJsonSchema = (value: unknown): value is Schema.Standard =>
  (value as { "~standard"?: { jsonSchema?: unknown } } | null | undefined)?.["~standard"]?.jsonSchema !== undefined;

const refersToItself = (schema: object): boolean => JSON.stringify(schema).includes('"$ref":"#"');

const mapReferences = <T extends object>(value: T, map: ($ref: string) => string): T =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    key === "$ref" && typeof member === "string" ? map(member) : member,
  );
