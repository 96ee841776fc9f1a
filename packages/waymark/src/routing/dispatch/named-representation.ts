import { docsOf } from "../../description.ts";
import { type Attempt, typesProduced } from "./attempt.ts";

/** How a client asks for the representation that a file extension stands for. */
export interface NamedRepresentation {
  readonly mediaType: string;
  /** A query parameter that names it, `format=csv`; undefined where the handler describes none. */
  readonly parameter: string | undefined;
}

/**
 * Returns how a client asks for the representation that a file extension stands for; undefined where these routes give none. The query
 * parameter is one that a handler describes, and that has the extension, or its format, among its values.
 */
export function representationNamed(extension: string, attempts: readonly Attempt[]): NamedRepresentation | undefined {
  const names = [extension, ...(formatsOf.get(extension) ?? [])];
  const endings = names.flatMap((name) => [`/${name}`, `/x-${name}`, `+${name}`]);
  const mediaType = typesProduced(attempts).find(
    (type) => endings.some((ending) => (type.split(";")[0] as string).endsWith(ending)), // there is a first part
  );
  if (mediaType === undefined) return undefined;
  const described = attempts.flatMap(({ branch: { placed, pattern } }) =>
    Object.entries(docsOf(placed.route.handler, pattern.text)?.query ?? {}),
  );
  const parameters = described.flatMap(([parameter, { schema }]): readonly string[] => {
    const values: unknown = (schema as { readonly enum?: unknown } | undefined)?.enum; // of JSON Schema
    const value = names.find((name) => Array.isArray(values) && values.includes(name));
    return value === undefined ? [] : [`${parameter}=${value}`];
  });
  return { mediaType, parameter: parameters[0] };
}

/** The names of formats whose files have another extension. */
const formatsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["vcf", ["vcard"]],
  ["jsonl", ["ndjson"]],
  ["jsonld", ["ld+json", "json-ld"]],
  ["htm", ["html"]],
  ["txt", ["plain"]],
]);
