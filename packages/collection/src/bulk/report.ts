import { createHash } from "node:crypto";
import { HttpError, type HttpResponse, json, problem, problemTypes } from "waymark";
import { ContentError, escapeUnprintable, toPointer, type ValidationIssue } from "waymark/content";
import { heldByAnother } from "../handlers/refusals.ts";
import { collectionProblemTypes } from "../problem-types.ts";
import type { BulkConflict, Document } from "../store.ts";
import type { Spool, SpooledDocument } from "./spool.ts";
import type { BulkWork } from "./work.ts";

/** How many records are stored, and what is wrong with those that are not. */
export function answerStored(stored: number, errors: LineErrors): HttpResponse {
  return json({ stored, ...errors.toMembers() });
}

/** How many records may be stored, and what is wrong with those that may not; none is stored. */
export function answerJudged(valid: number, errors: LineErrors): HttpResponse {
  return json({ stored: 0, valid, ...errors.toMembers() });
}

/** @param stoppedAfter the line after which nothing was looked at any more, since enough was wrong; undefined when all was */
export function refuseInvalid(errors: LineErrors, stoppedAfter: number | undefined): HttpResponse {
  const rest = stoppedAfter === undefined ? "" : `; nothing after line ${stoppedAfter} was read`;
  const detail = `Nothing was stored: there ${errors.counted}${rest}.`;
  return problem(problemTypes.invalidContent, { detail, ...errors.toMembers(), stoppedAfter });
}

/** @param errors of a store that stops looking when it has found 1,000 */
export function refuseConflicts(errors: LineErrors): HttpResponse {
  const rest = errors.lines < 1000 ? "" : ", and perhaps more";
  const detail = `Nothing was stored: there ${errors.counted}${rest}.`;
  return problem(collectionProblemTypes.conflict, { detail, ...errors.toMembers() });
}

/** Why not all documents were tried, and the last line that was. */
export interface BrokenOff {
  readonly reason: "store" | "time";
  readonly line: number;
}

/** Something ended the storing of records each by itself, when some of them had been tried. */
export function refuseBrokenOff(stored: number, { reason, line }: BrokenOff, errors: LineErrors): HttpResponse {
  const progress = `${stored} records are stored; nothing after line ${line} was tried.`;
  const members = { stored, ...errors.toMembers() };
  if (reason === "time") {
    const detail = `The request took too long: ${progress}`;
    return problem(collectionProblemTypes.bulkTimeExceeded, { detail, ...members });
  }
  const detail = `The store cannot be used at the moment: ${progress}`;
  return problem(collectionProblemTypes.storeUnavailable, { detail, ...members }).withHeader("Retry-After", "1");
}

/** @param exceeded whose share is used up */
export function refuseBusy(exceeded: "caller" | "all"): HttpResponse {
  const whose = exceeded === "caller" ? " of this client" : "";
  const detail = `Requests with many records${whose} are already in progress, as many as are allowed. Try again in a few seconds.`;
  return problem(collectionProblemTypes.bulkBusy, { detail }).withHeader("Retry-After", "5");
}

export function refuseIdempotencyKey(): HttpResponse {
  return problem(collectionProblemTypes.idempotencyKeyUnsupported, {
    detail: "Idempotency-Key is for single records. Send many records without it.",
  });
}

/** The refusal of content that cannot be relied on from some place on; any other error as it is. */
export function refuseMalformed(error: unknown): unknown {
  if (!(error instanceof ContentError)) return error;
  const { detail, line, column } = error;
  const cause = line === undefined ? "" : ` because of line ${line}`;
  const errors = line === undefined ? [] : [{ line, pointer: toPointer(), detail }];
  const members = { detail: `Nothing was stored${cause}: ${detail}.`, line, column, errors };
  return new HttpError(problem(problemTypes.malformedContent, members), { cause: error });
}

/** What is wrong with a record of a list. */
interface LineError {
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** A JSON Pointer into the record, as a URI fragment; `#` is the whole. */
  readonly pointer: string;
  readonly detail: string;
}

/** Collects what is wrong with the records of a list: all of it is counted, and the first 1,000 are kept. */
export class LineErrors {
  readonly #listed: LineError[] = [];
  #count = 0;
  #lines = 0;

  /** All that is wrong with one record. */
  add(line: number, issues: readonly ValidationIssue[]): void {
    this.#lines++;
    this.#count += issues.length;
    for (const { message, path } of issues.slice(0, mostListed - this.#listed.length)) {
      this.#listed.push({ line, pointer: shortPointer(path), detail: shortened(escapeUnprintable(message)) });
    }
  }

  /** How many records something is wrong with. */
  get lines(): number {
    return this.#lines;
  }

  /** How many things are wrong, in words that go on from "there": `are 3 faults in 2 records`. */
  get counted(): string {
    const faults = this.#count === 1 ? "is 1 fault" : `are ${inWords(this.#count)} faults`;
    const place = this.#lines === 1 ? `on line ${this.#listed[0]?.line}` : `in ${inWords(this.#lines)} records`;
    const rest =
      this.omitted === 0 ? "" : `; the first ${inWords(mostListed)} are listed, ${inWords(this.omitted)} are not`;
    return `${faults} ${place}${rest}`;
  }

  /** Whether as many faults are listed as can be: those that follow are only counted. */
  get isFull(): boolean {
    return this.#listed.length === mostListed;
  }

  /** How many faults are counted and not listed. */
  get omitted(): number {
    return this.#count - this.#listed.length;
  }

  /** Returns the members of an answer that report the faults, in the order of the lines. */
  toMembers(): { readonly refused: number; readonly errors: readonly LineError[]; readonly omitted?: number } {
    const errors = this.#listed.toSorted((one, other) => one.line - other.line);
    return { refused: this.#lines, errors, ...(this.omitted > 0 && { omitted: this.omitted }) };
  }
}

/** The most faults in an answer. The texts of each are bounded too, so that an answer has a few hundred KB at most. */
const mostListed = 1000;
const longestPointer = 200;
const longestDetail = 300;

const inWords = (count: number): string => count.toLocaleString("en");

/** The pointer; to the whole where it is very long, since half of a pointer leads astray. */
function shortPointer(path: ValidationIssue["path"]): string {
  const pointer = toPointer(path);
  return pointer.length <= longestPointer ? pointer : toPointer();
}

function shortened(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail).toWellFormed()}…`;
}

/**
 * Which lines have a value that there is already, and whether a line before or a record has it. The documents are read twice
 * more, and nothing of them is kept.
 *
 * @param conflicts in the order of their positions
 */
export async function conflictErrors(
  spool: Spool,
  work: BulkWork,
  conflicts: readonly BulkConflict[],
): Promise<LineErrors> {
  const found = await findConflicts(work.each(spool.documents()), conflicts);
  const firstLines = await findFirstLines(work.each(spool.documents()), found);
  const errors = new LineErrors();
  for (const { line, member, key } of found) {
    const first = firstLines.get(key);
    const isOfLine = first !== undefined && first < line;
    errors.add(line, [
      { path: [member], message: isOfLine ? `is already used in line ${first}` : heldByAnother(member) },
    ]);
  }
  return errors;
}

interface Conflict {
  readonly line: number;
  readonly member: string;
  readonly key: string;
}

async function findConflicts(
  documents: AsyncIterable<SpooledDocument>,
  conflicts: readonly BulkConflict[],
): Promise<readonly Conflict[]> {
  const found: Conflict[] = [];
  let position = 0;
  for await (const { line, document } of documents) {
    position++;
    const conflict = conflicts[found.length];
    if (conflict === undefined) break;
    if (conflict.position !== position) continue;
    found.push({ line, member: conflict.member, key: keyOf(document, conflict.member) });
  }
  return found;
}

async function findFirstLines(
  documents: AsyncIterable<SpooledDocument>,
  conflicts: readonly Conflict[],
): Promise<ReadonlyMap<string, number>> {
  const members = new Set(conflicts.map(({ member }) => member));
  const wanted = new Set(conflicts.map(({ key }) => key));
  const lines = new Map<string, number>();
  const look = ({ line, document }: SpooledDocument, member: string): void => {
    const key = keyOf(document, member);
    if (wanted.delete(key)) lines.set(key, line);
  };
  for await (const spooled of documents) {
    if (wanted.size === 0) break;
    for (const member of members) look(spooled, member);
  }
  return lines;
}

/** Stands for a member and its value; short, however long that is. */
function keyOf(document: Document, member: string): string {
  const { [member]: value } = document as Readonly<Record<string, unknown>>; // of JSON
  return createHash("sha256")
    .update(JSON.stringify([member, value]))
    .digest("base64");
}
