import { type ProblemType, problemTypes } from "waymark";
import type { HeaderDescription, JsonSchema, ResponseDescription } from "waymark/openapi";
import { collectionProblemTypes as types } from "../problem-types.ts";
import type { DescribedCollection } from "./described-collection.ts";
import { itemTypes } from "./examples.ts";
import { preferenceApplied, validatorFields } from "./parameters.ts";
import { type RecordSchemas, recordId } from "./schemas.ts";

/** Describes the answer to a creation. Its status is that of the collection's own `created`. */
export function created(
  { created: answer, nouns, path }: DescribedCollection,
  written: ResponseDescription,
): Readonly<Record<number, ResponseDescription>> {
  const { status } = answer({ id: 1, revision: 1 }, `${path}/1`);
  const headers = {
    ...written.headers,
    ...validatorFields,
    Location: {
      description: `The URL of the ${nouns.one}.`,
      schema: { type: "string", format: "uri-reference" },
      example: `${path}/1`,
    },
  };
  return { [status]: { ...written, description: `It is stored. ${ifPreferred}`, headers } };
}

export const ifPreferred: string = "The content is empty, unless `Prefer: return=representation` asks for the record.";

/** Describes the record as it is after a change, for a client that prefers to get it. */
export function writtenAnswer(settings: DescribedCollection, { stored }: RecordSchemas): ResponseDescription {
  return {
    description: "The record as it is now, for `Prefer: return=representation`.",
    headers: {
      ...preferenceApplied,
      "Content-Location": {
        description: "The URL of the record in the content.",
        schema: { type: "string", format: "uri-reference" },
      },
    },
    types: itemTypes(settings, stored),
    optional: true,
  };
}

export const done = (
  description: string,
  headers: Readonly<Record<string, HeaderDescription>> = {},
): ResponseDescription => ({
  description,
  headers: { ...preferenceApplied, ...headers },
});

export const changeProblems = ({
  requirePreconditions,
}: {
  readonly requirePreconditions: boolean;
}): readonly ProblemType[] => [
  types.invalidId,
  problemTypes.invalidParameters,
  types.preconditionFailed,
  ...(requirePreconditions ? [types.preconditionRequired] : []),
];

/** The schema of the report on many records. */
export const report: JsonSchema = {
  type: "object",
  required: ["stored", "refused", "errors"],
  properties: {
    stored: count("How many were stored."),
    valid: count("How many could be stored; of a dry run."),
    updated: count("How many records were changed."),
    unchanged: count("How many records say what their lines say."),
    skipped: count("How many were left out, since they are likely stored."),
    removed: count("How many records were removed."),
    missing: count("How many records no line has; of a dry run."),
    refused: count("How many were not."),
    found: { type: "object", description: "What was found out of the content, of a dry run." },
    ...errorsAt({ line: { type: "integer", minimum: 1 } }),
  },
};

/** The schema of the report on a change of many records. */
export const reportOfChanges: JsonSchema = {
  type: "object",
  required: ["matched", "updated", "unchanged", "removed", "refused", "errors"],
  properties: {
    matched: count("How many were chosen."),
    updated: count("How many were changed, or would be; of a dry run."),
    unchanged: count("How many are so already."),
    removed: count("How many were removed, or would be; of a dry run."),
    refused: count("How many cannot be changed so; of a dry run."),
    ...errorsAt({ id: recordId }),
  },
};

function count(description: string): JsonSchema {
  return { type: "integer", minimum: 0, description };
}

/** Describes the errors that a report lists, each with its place. */
function errorsAt(place: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const properties = { ...place, pointer: { type: "string" }, detail: { type: "string" } };
  return {
    omitted: { type: "integer", minimum: 1, description: "How many errors are not listed." },
    errors: { type: "array", items: { type: "object", required: Object.keys(properties), properties } },
  };
}
