import type { Description } from "../description.ts";
import { parseTemplate } from "../path/template.ts";
import type { ParameterObject } from "./document.ts";
import type { Schemas } from "./schemas.ts";

/** A path template in OpenAPI's spelling: variables without their expressions, and names for what has none. */
export interface DocumentPath {
  /** `/person/{id}` */
  readonly text: string;
  /** The same for templates that differ only in the names of their variables, which OpenAPI holds to be one. */
  readonly shape: string;
  readonly variables: readonly PathVariable[];
  /** A path of this kind, with the text `1` for each variable. */
  readonly sample: string;
}

export interface PathVariable {
  readonly name: string;
  /** Of the whole value. */
  readonly expression: string | undefined;
  /** Whether its value may have several segments. */
  readonly isRest: boolean;
}

/** Spells a path template of a route as OpenAPI does. */
export function toDocumentPath(template: string): DocumentPath {
  const variables: PathVariable[] = [];
  const parsed = parseTemplate(template);
  const named = new Set(parsed.flat().map((part) => ("name" in part ? part.name : undefined)));
  let wildcards = 0;
  const newName = (isRest: boolean): string => {
    let name = isRest ? "rest" : `wildcard${++wildcards}`;
    while (named.has(name)) name += "_";
    return name;
  };
  const toVariable = (name: string | undefined, expression: string | undefined, isRest: boolean): string => {
    const variable = { name: name ?? newName(isRest), expression, isRest };
    variables.push(variable);
    return `{${variable.name}}`;
  };
  const segments = parsed.map((parts) =>
    parts
      .map((part) => {
        switch (part.kind) {
          case "text":
            return encodeURI(part.text).replace(/[?#]/g, encodeURIComponent);
          case "variable":
            return toVariable(part.name, part.expression, false);
          case "wildcard":
            return toVariable(undefined, part.expression === "." ? "." : undefined, false);
          case "rest":
            return toVariable(part.name, undefined, true);
        }
      })
      .join(""),
  );
  const text = `/${segments.join("/")}`;
  const [shape, sample] = ["{}", "1"].map((value) => text.replace(/\{[^}]*\}/g, value)) as [string, string]; // of two
  return { text, shape, variables, sample };
}

/**
 * Returns the parameters of the path.
 *
 * @param own the variables of the route, whose names may be others than those of the path that it shares
 */
export function pathParameters(
  path: DocumentPath,
  own: readonly PathVariable[],
  described: NonNullable<Description["variables"]>,
  schemas: Schemas,
): readonly ParameterObject[] {
  return path.variables.map(({ name }, i): ParameterObject => {
    const { name: ownName = name, expression, isRest = false } = own[i] ?? {};
    const { description, schema = {}, example } = described[ownName] ?? {};
    const resolved = schemas.toJsonSchema(schema, "input");
    const isText = !("type" in resolved) || resolved["type"] === "string";
    const note = isRest ? "It may have several segments." : undefined;
    const text = [description, note].filter((part) => part !== undefined).join(" ");
    return {
      name,
      in: "path",
      required: true,
      ...(text !== "" && { description: text }),
      schema: {
        ...("$ref" in resolved ? {} : { type: "string" }),
        ...(expression !== undefined && isText && { pattern: `^(?:${expression})$` }),
        ...resolved,
      },
      ...(example !== undefined && { example }),
      ...(isRest && { "x-several-segments": true as const }),
    };
  });
}
