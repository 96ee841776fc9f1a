import type { OperationObject, ParameterObject } from "../document.ts";
import type { Context } from "./context.ts";
import { type Content, contentOf, sentType } from "./media-types.ts";
import { toTypeName } from "./names.ts";
import { access, comment, literal, member, propertyName, unite } from "./text.ts";
import { describe } from "./types.ts";

/** What an operation takes. */
export interface OperationInput {
  /** The members of its interface. */
  readonly lines: readonly string[];
  readonly isRequired: boolean;
  readonly content: Content;
}

/** Writes what an operation takes: variables, query, fields and body, as `takes` of its route has them. */
export function inputOf(
  { requestBody }: OperationObject,
  parameters: readonly ParameterObject[],
  name: string,
  context: Context,
): OperationInput {
  const groups = places.flatMap(([group, place]) => {
    const own = parameters.filter((each) => each.in === place && !writtenByClient.has(each.name.toLowerCase()));
    if (own.length === 0) return [];
    const isRequired = own.some(({ required }) => required);
    const lines = [`  readonly ${group}${isRequired ? "" : "?"}: {`];
    lines.push(...own.map((each) => memberOf(each, name, context)), "  };");
    return [{ isRequired, lines }];
  });
  const { content: declared = {}, required = false, description } = requestBody ?? {};
  const types = new Map(
    Object.entries(declared).map(([type, media]) => [type, sentType(type, media, `${name}Body`, context)]),
  );
  const choice = { parameter: "ContentType", member: "contentType", name: `${name}Bodies` };
  const content = contentOf(types, choice, context);
  const body = requestBody && comment(description, "  ") + member("body", required, content.alternatives);
  return {
    lines: [...groups.flatMap(({ lines }) => lines), ...(body === undefined ? [] : [body]), ...content.lines],
    isRequired: required || groups.some(({ isRequired }) => isRequired),
    content,
  };
}

const places = [
  ["variables", "path"],
  ["query", "query"],
  ["fields", "header"],
] as const;

const writtenByClient: ReadonlySet<string> = new Set(["accept", "content-type"]);

function memberOf({ name, in: place, schema, description, ...others }: ParameterObject, of: string, context: Context) {
  const { required = false, "x-several-segments": isList = false } = others;
  const type = context.types.of(schema, of + toTypeName(name));
  const alternatives = unite([
    type,
    isList && type.includes("string") ? ["readonly string[]"] : [],
    required ? [] : ["undefined"],
  ]);
  return comment(describe(schema, description), "    ") + member(name, required, alternatives, "    ");
}

/** Writes the path of a request. */
export function pathOf(path: string): string {
  const parts = path.split(/\{([^}]*)\}/);
  if (parts.length === 1) return literal(path);
  const written = parts.map((part, i) =>
    i % 2 === 0 ? part.replace(/[\\`$]/g, "\\$&") : `\${segment(${literal(part)}, input.variables${access(part)})}`,
  );
  return `\`${written.join("")}\``;
}

/**
 * Writes how those query parameters are sent that are not one for each value.
 *
 * @throws TypeError for a style that a client cannot write
 */
export function stylesOf(parameters: readonly ParameterObject[], place: string): readonly string[] {
  const styles = parameters.flatMap(({ in: where, name, style = "form", explode = true, schema }) => {
    if (where !== "query" || (style === "form" && explode)) return [];
    if (style === "deepObject") return [`      ${propertyName(name)}: "deep",`];
    const isList = style === "form" && (schema as { type?: unknown }).type !== "object";
    if (isList) return [`      ${propertyName(name)}: "joined",`];
    const form = style === "form" ? "form without explode, which is for lists" : style;
    throw new TypeError(
      `The query parameter ${name} of ${place} has the style ${form}: a client can write form and deepObject`,
    );
  });
  return styles.length === 0 ? [] : ["    styles: {", ...styles, "    },"];
}
