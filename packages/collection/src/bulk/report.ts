import { HttpError, type HttpResponse, json, type ProblemType, problem, problemTypes } from "waymark";
import { ContentError } from "waymark/content";
import { schemaIssues, wording } from "waymark/internal";
import type { JsonSchema } from "waymark/openapi";
import { problemsOfReaders } from "../description/conditions.ts";
import { rightsEnded } from "../layers/readmission.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import type { CollectionSettings } from "../settings.ts";
import { recordIdSchema } from "../stores/contract/store.ts";
import { mostConflicts } from "../stores/writing/bulk-source.ts";
import type { LineErrors } from "./changes/line-errors.ts";
import type { BrokenOff, LineCounts, Made } from "./changes/lines.ts";

/** Answers what has become of many records, or would in a dry run, and the errors of the others. */
export const answerCounts = (counts: object, errors: LineErrors, found?: object): HttpResponse =>
  json({ ...counts, ...errors.toMembers(), found });

/** Returns the members of an answer to a list: what each line has become. */
export const countsOfList = (
  { created, updated, unchanged, skipped, removed }: LineCounts,
  { isMatched, removes }: { readonly isMatched: boolean; readonly removes: boolean },
): object => ({
  stored: created,
  ...(isMatched && { updated, unchanged, skipped }),
  ...(removes && { removed }),
});

/** Answers a request whose changes were not made, or not all. */
export function refuseMade(made: Made, counts: object, errors: LineErrors, isWhole: boolean): HttpResponse {
  const { brokenOff, isInvalid } = made;
  if (brokenOff !== undefined && !isWhole) return refuseBrokenOff(counts, brokenOff, errors);
  if (brokenOff !== undefined) return refuseInvalid(errors, brokenOff.line);
  return isInvalid ? refuseInvalid(errors, undefined) : refuseConflicts(errors);
}

/** Answers that nothing was changed, for a reason that is no fault of a line. */
export function refuseChanges(reason: string, members: object = {}): HttpResponse {
  return problem(collectionProblemTypes.conflict, { detail: `Nothing was changed: ${reason}.`, ...members });
}

/** @param stoppedAfter the line at which validation stopped because there were enough errors; undefined when all records were validated */
export function refuseInvalid(errors: LineErrors, stoppedAfter: number | undefined): HttpResponse {
  const place = errors.place === "id" ? "record" : errors.place;
  const rest = stoppedAfter === undefined ? "" : `; nothing after ${place} ${stoppedAfter} was read`;
  const detail = `${nothingDone(errors)}: there ${errors.counted}${rest}.`;
  return problem(problemTypes.invalidContent, { detail, ...errors.toMembers(), stoppedAfter });
}

function refuseConflicts(errors: LineErrors): HttpResponse {
  const rest = errors.lines < mostConflicts ? "" : ", and perhaps more"; // the store stops looking
  const detail = `${nothingDone(errors)}: there ${errors.counted}${rest}.`;
  return problem(collectionProblemTypes.conflict, { detail, ...errors.toMembers() });
}

const nothingDone = ({ place }: LineErrors): string => `Nothing was ${place === "id" ? "changed" : "stored"}`;

/** Answers that storing in steps ended early, after some of them. */
function refuseBrokenOff(counts: object, { reason, line }: BrokenOff, errors: LineErrors): HttpResponse {
  const { stored = 0 } = counts as { readonly stored?: number };
  const are = stored === 1 ? "1 record is" : `${wording.withCommas(stored)} records are`;
  const behind = reason === "unknown" ? "some after it may be, too" : `nothing after ${errors.place} ${line} was tried`;
  const progress = `${are} stored, up to ${errors.place} ${line}; ${behind}.`;
  const members = { ...counts, ...errors.toMembers(), upTo: line };
  switch (reason) {
    case "errors":
      return problem(problemTypes.invalidContent, { detail: `There ${errors.counted}: ${progress}`, ...members });
    case "conflicts":
      return problem(collectionProblemTypes.conflict, { detail: `There ${errors.counted}: ${progress}`, ...members });
    case "time":
      return problem(collectionProblemTypes.bulkTimeExceeded, {
        detail: `The request took too long: ${progress}`,
        ...members,
      });
    case "rights":
      return problem(problemTypes.forbidden, { detail: `${rightsEnded}: ${progress}`, ...members });
    default: {
      const detail = `The store cannot be used at the moment: ${progress}`;
      return problem(collectionProblemTypes.storeUnavailable, { detail, ...members }).withHeader("Retry-After", "1");
    }
  }
}

/** @param exceeded whether the share of this caller or that of all callers is used up */
export function refuseBusy(exceeded: "caller" | "all"): HttpResponse {
  const whose = exceeded === "caller" ? " of this client" : "";
  const detail = `Requests with many records${whose} are already in progress, as many as are allowed. Try again in a few seconds.`;
  return problem(collectionProblemTypes.bulkBusy, { detail }).withHeader("Retry-After", "5");
}

/** Says of a list that is too long how it can be sent; returns any other error unchanged. */
export function refuseLongList(error: unknown): unknown {
  const refused = error instanceof HttpError ? error.response.problem : undefined;
  const limit = refused?.["limit"];
  if (refused?.type !== problem(problemTypes.contentTooLarge).problem?.type || typeof limit !== "number") return error;
  const detail = `Nothing was stored: the content is longer than ${wording.withCommas(limit)} bytes. Send several lists, each shorter; a table has its header in each.`;
  return new HttpError(problem(problemTypes.contentTooLarge, { detail, limit }), { cause: error });
}

/** Converts a ContentError to an HttpError 400; returns any other error unchanged. */
export function refuseMalformed(error: unknown): unknown {
  if (!(error instanceof ContentError)) return error;
  const { detail, line, column } = error;
  const cause = line === undefined ? "" : ` because of line ${line}`;
  const errors = line === undefined ? [] : [{ line, pointer: schemaIssues.toPointer(), detail, code: "malformed" }];
  const members = { detail: `Nothing was stored${cause}: ${detail}.`, line, column, errors };
  return new HttpError(problem(problemTypes.malformedContent, members), { cause: error });
}

/** The problems of requests that are for many records. */
export const ofManyRecords = (settings: CollectionSettings): readonly ProblemType[] => [
  collectionProblemTypes.unknownPreference,
  collectionProblemTypes.invalidIdempotencyKey,
  collectionProblemTypes.idempotencyKeyInUse,
  collectionProblemTypes.idempotencyKeyReused,
  collectionProblemTypes.conflict,
  collectionProblemTypes.tooManyRecords,
  collectionProblemTypes.bulkTimeExceeded,
  collectionProblemTypes.bulkBusy,
  collectionProblemTypes.storeUnavailable,
  collectionProblemTypes.readOnly,
  ...problemsOfReaders(settings),
];

const countsOfLines = {
  stored: "How many new records were stored, or would be; of a dry run.",
  updated: "How many records were changed.",
  unchanged: "How many records say what their lines say.",
  skipped: "How many were left out, since they are likely stored.",
  removed: "How many records were removed.",
  refused: "How many were not.",
};

/** The schema of the report on many records. */
export const reportOfLines: JsonSchema = {
  type: "object",
  required: ["stored", "refused", "errors"],
  properties: {
    ...schemasOf(countsOfLines),
    found: { type: "object", description: "What was found out of the content." },
    notes: {
      type: "array",
      description: "What was left out of records: the first 100.",
      items: {
        type: "object",
        required: ["line", "detail"],
        properties: { line: { type: "integer", minimum: 1 }, detail: { type: "string" } },
      },
    },
    ...errorsAt({ line: { type: "integer", minimum: 1 } }),
  },
};

const countsOfRecords = {
  matched: "How many were chosen.",
  updated: "How many were changed, or would be; of a dry run.",
  unchanged: "How many are so already.",
  removed: "How many were removed, or would be; of a dry run.",
  refused: "How many cannot be changed so; of a dry run.",
};

/** The schema of the report on a change of many records. */
export const reportOfRecords: JsonSchema = {
  type: "object",
  required: [...Object.keys(countsOfRecords), "errors"],
  properties: { ...schemasOf(countsOfRecords), ...errorsAt({ id: recordIdSchema }) },
};

function schemasOf(counts: Readonly<Record<string, string>>): Readonly<Record<string, JsonSchema>> {
  const schemas = Object.entries(counts).map(([name, description]) => [
    name,
    { type: "integer", minimum: 0, description },
  ]);
  return Object.fromEntries(schemas);
}

/** Describes the errors that a report lists, each with its place. */
function errorsAt(place: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const needed = { ...place, pointer: { type: "string" }, detail: { type: "string" } };
  const properties = { ...needed, code: { type: "string" }, found: { type: ["string", "number", "boolean"] } };
  return {
    omitted: { type: "integer", minimum: 1, description: "How many errors are not listed." },
    errors: { type: "array", items: { type: "object", required: Object.keys(needed), properties } },
  };
}
