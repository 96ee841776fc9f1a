import { HttpError, type HttpResponse, json, type ProblemType, problem, problemTypes } from "waymark";
import { ContentError, type StandardSchemaV1 } from "waymark/content";
import { schemaIssues, wording } from "waymark/internal";
import type { JsonSchema } from "waymark/openapi";
import { problemsOfReaders } from "../description/conditions.ts";
import type { ListPlace } from "../formats/list-decoder.ts";
import { rightsEnded } from "../layers/readmission.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import type { CollectionSettings } from "../settings.ts";
import { recordIdSchema } from "../stores/contract/store.ts";
import { mostConflicts } from "../stores/writing/bulk-source.ts";
import type { BrokenOff, LineCounts, Made } from "./outcomes.ts";

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

/** An error in one record of a list. */
interface LineError extends ReturnType<typeof schemaIssues.saidForPrograms> {
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** A JSON Pointer into the record, as a URI fragment; `#` is the whole record. */
  readonly pointer: string;
  readonly detail: string;
}

/** An error in a stored record that a request would change. */
type RecordError = Omit<LineError, "line"> & { readonly id: number };

/** What has been collected of errors. */
export interface ErrorsState {
  readonly listed: readonly LineError[];
  readonly notes: readonly Pick<LineError, "line" | "detail">[];
  readonly count: number;
  readonly lines: number;
}

/** Collects the errors in the records of a list: counts all of them, and keeps the first of them. */
export class LineErrors {
  /** What the line of a record is; `id` where it is the id of a stored one. */
  readonly place: ListPlace | "id";
  readonly #enough: number | "listed";
  readonly #mostListed: number;
  readonly #listed: LineError[] = [];
  readonly #notes: Pick<LineError, "line" | "detail">[] = [];
  #count = 0;
  #lines = 0;

  /**
   * @param mostListed how many errors are kept
   * @param enough when no more records are looked at: errors in more records than this, or as many errors as are listed
   */
  constructor(
    place: ListPlace | "id" = "line",
    enough: number | "listed" = "listed",
    mostListed: number = mostUsually,
  ) {
    this.place = place;
    this.#enough = enough;
    this.#mostListed = mostListed;
  }

  /** Adds all errors of one record. */
  add(line: number, issues: readonly StandardSchemaV1.Issue[]): void {
    this.#lines++;
    this.#count += issues.length;
    for (const issue of issues.slice(0, this.#mostListed - this.#listed.length)) {
      const detail = shortened(wording.escapeUnprintable(issue.message));
      this.#listed.push({
        line,
        pointer: schemaIssues.toShortPointer(issue.path),
        detail,
        ...schemaIssues.saidForPrograms(issue),
      });
    }
  }

  /** Notes what is left out of a record that is no error of it: the first 100 are listed. */
  note(line: number, detail: string): void {
    if (this.#notes.length < mostNotes)
      this.#notes.push({ line, detail: shortened(wording.escapeUnprintable(detail)) });
  }

  /** What has been collected, to go on with in another request. */
  get state(): ErrorsState {
    return { listed: this.#listed.slice(0, mostUsually), notes: this.#notes, count: this.#count, lines: this.#lines };
  }

  /** Has what was collected be that of an earlier request. */
  restore({ listed, notes, count, lines }: ErrorsState): void {
    this.#listed.splice(0, this.#listed.length, ...listed);
    this.#notes.splice(0, this.#notes.length, ...notes);
    this.#count = count;
    this.#lines = lines;
  }

  /** The number of records with errors. */
  get lines(): number {
    return this.#lines;
  }

  /** How many things are wrong, in words that go on from "there": `are 3 faults in 2 records`. */
  get counted(): string {
    const faults = this.#count === 1 ? "is 1 fault" : `are ${wording.withCommas(this.#count)} faults`;
    const only = `${this.place === "line" ? "on line" : "in record"} ${this.#listed[0]?.line}`;
    const where = this.#lines === 1 ? only : `in ${wording.withCommas(this.#lines)} records`;
    const rest =
      this.omitted === 0
        ? ""
        : `; the first ${wording.withCommas(this.#mostListed)} are listed, ${wording.withCommas(this.omitted)} are not`;
    return `${faults} ${where}${rest}`;
  }

  /** Whether there are so many that no more records are to be looked at: a client can send faulty ones without end. */
  get areEnough(): boolean {
    return this.#enough === "listed" ? this.#listed.length === this.#mostListed : this.#lines > this.#enough;
  }

  /** Whether there would be enough, with these. */
  areEnoughWith(faults: readonly { readonly issues: readonly StandardSchemaV1.Issue[] }[]): boolean {
    if (this.#enough !== "listed") return this.#lines + faults.length > this.#enough;
    return this.#count + faults.reduce((sum, { issues }) => sum + issues.length, 0) >= this.#mostListed;
  }

  /** The number of errors that are counted and not listed. */
  get omitted(): number {
    return this.#count - this.#listed.length;
  }

  /** Returns the members of an answer that report the errors, in the order of the lines. */
  toMembers(): {
    readonly refused: number;
    readonly errors: readonly (LineError | RecordError)[];
    readonly omitted?: number;
    readonly notes?: readonly Pick<LineError, "line" | "detail">[];
  } {
    const sorted = this.#listed.toSorted((one, other) => one.line - other.line);
    const errors = this.place === "id" ? sorted.map(({ line: id, ...error }) => ({ id, ...error })) : sorted;
    return {
      refused: this.#lines,
      errors,
      ...(this.omitted > 0 && { omitted: this.omitted }),
      ...(this.#notes.length > 0 && { notes: this.#notes }),
    };
  }
}

/** The most errors in an answer. Their texts are bounded too: an answer has a few hundred KB at most. */
const mostUsually = 1000;
const mostNotes = 100;
const longestDetail = 300;

function shortened(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail).toWellFormed()}…`;
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
