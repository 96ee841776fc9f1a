import type { OpenApiDocument } from "../document.ts";
import { pascalCase } from "../problems.ts";
import type { Names } from "./names.ts";
import { type Alternatives, comment, declareInterface, literal, member, typed, union, unite } from "./text.ts";

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
    return intersect([
      typeof $ref === "string" ? [this.#referred($ref)] : ["unknown"],
      this.#ofKeywords(keywords, hint),
      ...listOf(allOf).map((each) => this.of(each, hint)),
      ...[anyOf, oneOf].filter(Array.isArray).map((some) => unite(some.map((each) => this.of(each, hint)))),
    ]);
  }

  /** Declares a type of this name, which is taken already. */
  declare(name: string, schema: unknown): void {
    const { title, description } = schema as Keywords; // of a type with a name
    const place = this.#declarations.push("") - 1;
    const about = comment(textOf(description) ?? textOf(title));
    const own = isInterface(schema)
      ? declareInterface(name, this.#members(schema, name))
      : // A type that is itself among others is nothing more than those.
        typed(`export type ${name} =`, withoutSelf(this.of(schema, `${name}Value`), name));
    this.#declarations[place] = about + own;
  }

  #referred($ref: string): string {
    const [, component = "", within = ""] = /^#\/components\/schemas\/([^/]+)(.*)$/.exec($ref) ?? [];
    const key = `${root}${this.#alike.get(component) ?? component}${within}`;
    const known = this.#named.get(key);
    if (known !== undefined) return known;
    const schema = lookUp(this.#document, key);
    if (schema === undefined) {
      throw new TypeError(
        `A schema refers to "${$ref}", which is not in the document: a schema that refers to itself needs a name, by namedSchema(…)`,
      );
    }
    const name = this.#names.type(key.slice(root.length).replaceAll("$defs", ""));
    this.#named.set(key, name);
    this.declare(name, schema);
    return name;
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
        return [this.#ofArray(keywords, hint)];
      case "object":
        return [this.#ofObject(keywords, hint)];
      default:
        return ["unknown"];
    }
  }

  #ofArray({ prefixItems, items = true, minItems = 0 }: Keywords, hint: string): string {
    const first = listOf(prefixItems).map((each, i) => {
      const text = this.#item(each, `${hint}${i + 1}`);
      return i < Number(minItems) ? text : `${text}?`;
    });
    const rest = `${this.#item(items, `${hint}Item`)}[]`;
    if (first.length === 0) return `readonly ${rest}`;
    return `readonly [${[...first, ...(items === false || items === true ? [] : [`...${rest}`])].join(", ")}]`;
  }

  /** Returns a type that a bracket can stand behind. */
  #item(schema: unknown, hint: string): string {
    const alternatives = this.of(schema, hint);
    const text = union(alternatives);
    if (text.length > longestItem) {
      const name = this.#names.type(hint);
      this.#declarations.push(typed(`export type ${name} =`, alternatives));
      return name;
    }
    const isCompound = alternatives.length > 1 || /^readonly | & /.test(text.replace(/"(?:[^"\\]|\\.)*"|'.*?'/g, ""));
    return isCompound ? `(${text})` : text;
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
    return `{ readonly [name: string]: ${types.length === 0 ? "never" : union(unite(types))} }`;
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

/** Returns what a reference within a document is to; undefined where there is nothing. */
export function lookUp(document: object, $ref: string): unknown {
  const steps = $ref.split("/").slice(1);
  let value: unknown = document;
  for (const step of steps) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value;
}

const root = "#/components/schemas/";

/**
 * Returns for each named schema the one whose type it shares. One that is both sent and read is there twice, as `Book` and as `Book2`,
 * which often differ only in what TypeScript cannot say.
 */
function alike(schemas: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const names = Object.keys(schemas);
  // All that have a name in common are alike, until they differ, or what they refer to does.
  let found = new Map(names.map((name) => [name, name.replace(/\d+$/, "")]));
  for (;;) {
    const textOf = (name: string): string => {
      const text = JSON.stringify(schemas[name], (key, value: unknown) => {
        if (key === "additionalProperties" && value === false) return undefined;
        if (key !== "$ref" || typeof value !== "string") return value;
        return value.replace(/(?<=^#\/components\/schemas\/)[^/]+/, (other) => found.get(other) ?? other);
      });
      return `${found.get(name)} ${text}`;
    };
    const texts = new Map(names.map((name) => [name, textOf(name)]));
    const firsts = new Map(names.toReversed().map((name) => [texts.get(name), name]));
    const next = new Map(names.map((name) => [name, firsts.get(texts.get(name)) ?? name]));
    if (new Set(next.values()).size === new Set(found.values()).size) return next;
    found = next;
  }
}

/** A longer type of the items of an array gets a name. */
const longestItem = 60;

function intersect(parts: readonly Alternatives[]): Alternatives {
  const known = new Map(parts.filter((part) => !part.includes("unknown")).map((part) => [union(part), part]));
  const [only = ["unknown"], ...others] = known.values();
  if (others.length === 0) return only;
  return [[...known].map(([text, part]) => (part.length > 1 ? `(${text})` : text)).join(" & ")];
}

const isInterface = (schema: unknown): schema is Keywords => {
  const { properties, type = "object", $ref, allOf, anyOf, oneOf, enum: values } = (schema ?? {}) as Keywords; // or true
  const isPlain = [$ref, allOf, anyOf, oneOf, values].every((each) => each === undefined);
  return type === "object" && isPlain && Object.keys(properties ?? {}).length > 0;
};

const withoutSelf = (alternatives: Alternatives, name: string): Alternatives => {
  const others = alternatives.filter((each) => each !== name);
  return others.length === 0 ? ["unknown"] : others;
};

const toLiterals = (values: readonly unknown[]): Alternatives =>
  unite(
    values.map((value) => {
      if (typeof value === "string") return [literal(value)];
      return [typeof value === "object" && value !== null ? "unknown" : String(value)];
    }),
  );

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
