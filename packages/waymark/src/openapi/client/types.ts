import { lookUp } from "../../content/references.ts";
import { pascalCase } from "../../message-text.ts";
import type { OpenApiDocument } from "../document.ts";
import { schemaRoot } from "../references.ts";
import { alike } from "./alike.ts";
import type { Names } from "./names.ts";
import {
  type Alternatives,
  areNames,
  comment,
  declareInterface,
  isIntersection,
  literal,
  member,
  tuple,
  typed,
  union,
  unite,
} from "./text.ts";

/** JSON Schema, as a document has it. */
type Keywords = Readonly<Record<string, unknown>>;

/**
 * Writes the types of schemas. What TypeScript cannot say, such as lengths, patterns, `not` and `if`, is left out: the type is then
 * wider than the schema. Objects become interfaces with names of their own.
 */
export class Types {
  readonly #declarations: string[] = [];
  /** The names of types, by the reference to their schema, or by the wanted name and the schema. */
  readonly #named = new Map<string, string>();
  readonly #document: OpenApiDocument;
  readonly #names: Names;
  readonly #alike: ReadonlyMap<string, string>;
  /** The names that are being declared, and whose type the next one is a part of: not an item or a member of it. */
  #open: readonly string[] = [];

  constructor(document: OpenApiDocument, names: Names) {
    this.#document = document;
    this.#names = names;
    this.#alike = alike(document.components.schemas);
  }

  /** The declarations of all types that were needed. */
  get declarations(): readonly string[] {
    return this.#declarations;
  }

  /**
   * Returns the type of a schema.
   *
   * @param hint the name of the interface, where it becomes one
   * @throws TypeError when it refers to a schema that the document lacks
   */
  of(schema: unknown, hint: string): Alternatives {
    if (schema === false) return ["never"];
    if (typeof schema !== "object" || schema === null) return ["unknown"];
    const { $ref, allOf, anyOf, oneOf, ...keywords } = schema as Keywords;
    const parts = [
      typeof $ref === "string" ? this.#referred($ref) : ["unknown"],
      this.#ofKeywords(keywords, hint),
      ...listOf(allOf).map((each) => this.of(each, hint)),
      ...[anyOf, oneOf].filter(Array.isArray).map((some) => unite(some.map((each) => this.of(each, hint)))),
    ];
    return this.#intersect(parts, hint);
  }

  /** Declares a type of this name, which is taken already. */
  declare(name: string, schema: unknown): void {
    const { title, description } = schema as Keywords; // of a type with a name
    const place = this.#declarations.push("") - 1;
    const about = comment(textOf(description) ?? textOf(title));
    const own = isInterface(schema)
      ? declareInterface(
          name,
          this.#within([], () => this.#members(schema, name)),
        )
      : typed(
          `export type ${name} =`,
          this.#within([...this.#open, name], () => this.of(schema, `${name}Value`)),
        );
    this.#declarations[place] = about + own;
  }

  #within<T>(open: readonly string[], write: () => T): T {
    const outer = this.#open;
    this.#open = open;
    const written = write();
    this.#open = outer;
    return written;
  }

  #referred($ref: string): Alternatives {
    const [, component = "", within = ""] = /^#\/components\/schemas\/([^/]+)(.*)$/.exec($ref) ?? [];
    const key = `${schemaRoot}${this.#alike.get(component) ?? component}${within}`;
    const known = this.#named.get(key);
    // A type that is itself among others is nothing more than those; one that is another that is itself is not found out.
    if (known !== undefined && this.#open.includes(known)) return [this.#open.at(-1) === known ? "never" : "unknown"];
    if (known !== undefined) return [known];
    const schema = lookUp(this.#document, key);
    if (schema === undefined) {
      throw new TypeError(
        `A schema refers to "${$ref}", which is not in the document: a schema that refers to itself needs a name, by namedSchema(…)`,
      );
    }
    const name = this.#names.type(key.slice(schemaRoot.length).replaceAll("$defs", ""));
    this.#named.set(key, name);
    this.declare(name, schema);
    return [name];
  }

  #ofKeywords(keywords: Keywords, hint: string): Alternatives {
    if ("const" in keywords) return toLiterals([keywords["const"]]);
    if (Array.isArray(keywords["enum"])) return toLiterals(keywords["enum"]);
    const { type, properties, additionalProperties, patternProperties, prefixItems, items } = keywords;
    if (type !== undefined) return unite([type].flat().map((each) => this.#ofType(each, keywords, hint)));
    if (properties ?? additionalProperties ?? patternProperties) return this.#ofType("object", keywords, hint);
    return prefixItems === undefined && items === undefined ? ["unknown"] : this.#ofType("array", keywords, hint);
  }

  #ofType(type: unknown, keywords: Keywords, hint: string): Alternatives {
    switch (type) {
      case "string":
      case "number":
      case "boolean":
      case "null":
        return [type];
      case "integer":
        return ["number"];
      case "array":
        return [this.#within([], () => this.#ofArray(keywords, hint))];
      case "object":
        // It may be one type of several.
        return [this.#within([], () => this.#ofObject({ ...keywords, type }, hint))];
      default:
        return ["unknown"];
    }
  }

  #ofArray({ prefixItems, items = true, minItems = 0 }: Keywords, hint: string): string {
    const first = listOf(prefixItems).map((each, i) => {
      const isRequired = i < Number(minItems);
      const text = this.#item(each, `${hint}${i + 1}`, !isRequired, longestItem / 2);
      return isRequired ? text : `${text}?`;
    });
    const rest = `${this.#item(items, `${hint}Item`)}[]`;
    if (first.length === 0) return `readonly ${rest}`;
    const all = [...first, ...(items === false || items === true ? [] : [`...${rest}`])];
    const text = `readonly [${all.join(", ")}]`;
    if (text.length <= longestItem) return text;
    const name = this.#names.type(hint);
    this.#declarations.push(tuple(`export type ${name} =`, all));
    return name;
  }

  /** Returns the type of an item, which gets a name where it is long, and parentheses where something stands behind it. */
  #item(schema: unknown, hint: string, isFollowed = true, longest = longestItem): string {
    const alternatives = this.of(schema, hint);
    const text = union(alternatives);
    if (text.length > longest) return this.alias(hint, alternatives);
    const isCompound = alternatives.length > 1 || text.startsWith("readonly ") || isIntersection(text);
    return isFollowed && isCompound ? `(${text})` : text;
  }

  /** Gives a type a name. */
  alias(hint: string, alternatives: Alternatives): string {
    const name = this.#names.type(hint);
    this.#declarations.push(typed(`export type ${name} =`, alternatives));
    return name;
  }

  /** Returns what all of these have in common, where what is not a name gets one. */
  #intersect(parts: readonly Alternatives[], hint: string): Alternatives {
    const known = new Map(parts.filter((part) => !part.includes("unknown")).map((part) => [union(part), part]));
    // One says no more than that they are objects; the other stands for the type itself.
    for (const empty of [anyObject, "never"]) if (known.size > 1) known.delete(empty);
    const [only = ["unknown"], ...others] = known.values();
    if (others.length === 0) return only;
    const texts = [...known].map(([text, part]) => (areNames(text) ? text : this.alias(hint, part)));
    const all = [texts.join(" & ")];
    return union(all).length > longestItem ? [this.alias(hint, all)] : all;
  }

  #ofObject(keywords: Keywords, hint: string): string {
    if (isInterface(keywords)) {
      const key = `${hint} ${JSON.stringify(keywords)}`;
      const known = this.#named.get(key);
      if (known !== undefined) return known;
      const name = this.#names.type(hint);
      this.#named.set(key, name);
      this.declare(name, keywords);
      return name;
    }
    const { additionalProperties, patternProperties = {} } = keywords;
    const patterns = Object.values(patternProperties as Keywords); // of the document
    const values = [...patterns, ...(additionalProperties === false ? [] : [additionalProperties])];
    const isClosed = additionalProperties === undefined && patterns.length > 0;
    const types = (isClosed ? patterns : values).map((each) => this.of(each, `${hint}Value`));
    const value = types.length === 0 ? ["never"] : unite(types);
    const text = union(value).length > longestItem ? this.alias(`${hint}Value`, value) : union(value);
    return `{ readonly [name: string]: ${text} }`;
  }

  #members({ properties, required, additionalProperties }: Keywords, name: string): readonly string[] {
    const needed = new Set(listOf(required));
    const members = Object.entries(properties as Keywords).map(([key, schema]) => {
      const about = comment(describe(schema), "  ");
      return about + member(key, needed.has(key), this.of(schema, name + (pascalCase(key) || "Member")));
    });
    // Members without a name have the type of all of them in TypeScript.
    return additionalProperties ? [...members, "  readonly [name: string]: unknown;"] : members;
  }
}

/** What a doc comment says of a schema. */
export function describe(schema: unknown, description?: string): string | undefined {
  const { description: own, default: fallback } = (schema ?? {}) as Keywords; // a schema is an object, or true
  const shown = fallback === undefined ? undefined : `Default: ${JSON.stringify(fallback)}.`;
  return [description ?? textOf(own), shown].filter((text) => text !== undefined).join(" ");
}

const anyObject = "{ readonly [name: string]: unknown }";

/** A longer type of the items of an array gets a name. */
const longestItem = 50;

const isInterface = (schema: unknown): schema is Keywords => {
  const { properties, type = "object", $ref, allOf, anyOf, oneOf, enum: values } = (schema ?? {}) as Keywords; // or true
  const isPlain = [$ref, allOf, anyOf, oneOf, values].every((each) => each === undefined);
  return type === "object" && isPlain && Object.keys(properties ?? {}).length > 0;
};

const toLiterals = (values: readonly unknown[]): Alternatives =>
  unite([
    ["never"],
    ...values.map((value) => {
      if (typeof value === "string") return [literal(value)];
      return [typeof value === "object" && value !== null ? "unknown" : String(value)];
    }),
  ]);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
