import type { OpenApiDocument } from "waymark/openapi";
import type { Operation, ParameterObject } from "../operations.ts";
import type { Schemas } from "../schemas.ts";
import { type ContentFormat, formatOf } from "./content.ts";
import type { ParameterTexts } from "./parameter-texts.ts";
import type { Random } from "./random.ts";
import type { Values } from "./values.ts";

/** What requests are made with. */
export interface Making {
  readonly document: OpenApiDocument;
  readonly random: Random;
  /** Values that are good, by the name of the parameter. */
  readonly examples: Readonly<Record<string, readonly unknown[]>>;
  /** Fields of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the methods of a path. */
  readonly methodsOf: (path: string) => readonly string[] | undefined;
  /** Paths that answers have named by Location. */
  readonly located: Set<string>;
}

/** A request in its parts: what is wrong with one of them takes its place. */
export interface Parts {
  readonly path: string;
  readonly query: readonly Sent[];
  readonly fields: readonly Sent[];
  readonly content: Content | undefined;
}

/** The texts of a parameter. */
export interface Sent {
  readonly parameter: ParameterObject;
  readonly texts: readonly string[];
}

export interface Content {
  readonly type: string;
  readonly schema: unknown;
  readonly value: unknown;
  readonly text: string;
  /** Undefined where the content is an example in words. */
  readonly format: ContentFormat | undefined;
}

/** Returns what makes the parts of requests for one operation that are as declared. */
export function partsMaker(
  operation: Operation,
  making: Making,
  schemas: Schemas,
  values: Values,
  parameterTexts: ParameterTexts,
): (share?: number) => Parts {
  const pathOf = (): string => {
    const { path, parameters } = operation;
    const { located, random, document } = making;
    const shape = new RegExp(
      `^${path
        .split(/\{[^}]*\}/)
        .map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&"))
        .join("[^/]+")}$`,
    );
    const known = path.includes("{") ? [...located].filter((each) => shape.test(each)) : [];
    if (known.length > 0 && random.chance(0.7)) return random.pick(known);
    for (let i = 0; i < 20; i++) {
      const texts = parameters
        .filter((each) => each.in === "path")
        .map((each) => [each, parameterTexts.good(each)] as const);
      const filled = texts.reduce(
        (whole, [{ name }, found = []]) => whole.replace(`{${name}}`, encodeURIComponent(found.join(","))),
        path,
      );
      // A path that another operation has by name is not one of this.
      if (filled === path || document.paths[filled] === undefined) return filled;
    }
    return path;
  };

  const contentOf = (): Content | undefined => {
    const { body, taken, name } = operation;
    const types = Object.entries(body?.content ?? {}).filter(
      ([type, { schema, example }]) =>
        formatOf(type, schema, making.document, schemas) !== undefined || typeof example === "string",
    );
    if (types.length === 0) return undefined;
    const [type, { schema, example }] = making.random.pick(types);
    const format = formatOf(type, schema, making.document, schemas);
    const toContent = (value: unknown): Content | undefined => {
      const text = format?.write(value);
      return text === undefined ? undefined : { type: format?.type ?? type, schema, value, text, format };
    };
    if (typeof example === "string" && (format === undefined || toContent(example) === undefined)) {
      return { type, schema, value: example, text: example, format: undefined };
    }
    const given = example === undefined ? undefined : toContent(example);
    if (given !== undefined && making.random.chance(0.3)) return given;
    for (let i = 0; i < 20; i++) {
      const value = values.good(schema);
      const result = value === undefined ? undefined : taken.body?.["~standard"].validate(value);
      const isTaken = result === undefined || result instanceof Promise || result.issues === undefined;
      const made = value !== undefined && isTaken ? toContent(value) : undefined;
      if (made !== undefined) return made;
    }
    if (given !== undefined) return given;
    throw new TypeError(
      `No content is known for ${name} that its schema allows: give it one, docs({ content: { types: { "${type}": { example } } } })`,
    );
  };

  const draft = (share: number): Parts => {
    const { parameters, body } = operation;
    const query: Sent[] = [];
    const fields: Sent[] = [];
    // Of many that are optional, some are sent at once, so that each is also tried with few others.
    const optional = parameters.filter(({ required }) => required !== true).length;
    for (const parameter of parameters) {
      const isSent = parameter.required === true || making.random.chance(Math.min(share, 2 / optional));
      if (parameter.in === "path" || !isSent) continue;
      const texts = parameterTexts.good(parameter);
      if (texts !== undefined) (parameter.in === "query" ? query : fields).push({ parameter, texts });
    }
    return { path: pathOf(), query, fields, content: body === undefined ? undefined : contentOf() };
  };

  /**
   * @param share of the optional parameters that are sent, of two at most
   * @throws TypeError when no value is found for something that is required
   */
  return (share = 0.5) => {
    for (let i = 0; i < 50; i++) {
      const parts = draft(i < 10 ? share : 1);
      if (operation.taken.takesQuery(searchOf(parts.query))) return parts;
    }
    throw new TypeError(
      `No query is known for ${operation.name} that its schema allows: name values of its parameters, { examples: { … } }`,
    );
  };
}

/** Returns parameters as a query has them. */
export const searchOf = (query: readonly Sent[]): string =>
  query
    .flatMap(({ parameter: { name }, texts }) =>
      texts.map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`),
    )
    .join("&");
