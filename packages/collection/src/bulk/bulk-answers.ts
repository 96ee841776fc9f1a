import { HttpError, type HttpResponse, json, MalformedContent, problem, problemTypes, toPointer } from "waymark";
import { collectionProblemTypes } from "../problem-types.ts";
import type { LineErrors } from "./line-errors.ts";

/** How many records are stored, and what is wrong with those that are not. */
export function answerStored(stored: number, errors: LineErrors): HttpResponse {
  return json({ stored, ...errors.toMembers() });
}

export function refuseInvalid(errors: LineErrors): HttpResponse {
  const detail = `Nothing was stored: there ${errors.counted}.`;
  return problem(problemTypes.invalidContent, { detail, ...errors.toMembers() });
}

/** @param errors of a store that stops looking when it has found 1,000 */
export function refuseConflicts(errors: LineErrors): HttpResponse {
  const rest = errors.lines < 1000 ? "" : ", and perhaps more";
  const detail = `Nothing was stored: there ${errors.counted}${rest}.`;
  return problem(collectionProblemTypes.conflict, { detail, ...errors.toMembers() });
}

/** The store could not be used any more, once it had been used for some of the records. */
export function refuseBrokenOff(stored: number, line: number, errors: LineErrors): HttpResponse {
  const detail = `The store cannot be used just now: ${stored} records are stored, and nothing was tried after line ${line}.`;
  const refusal = problem(collectionProblemTypes.storeUnavailable, { detail, stored, ...errors.toMembers() });
  return refusal.withHeader("Retry-After", "1");
}

export function refuseIdempotencyKey(): HttpResponse {
  return problem(collectionProblemTypes.idempotencyKeyUnsupported, {
    detail:
      "The request has Idempotency-Key, and many records at once are not remembered by one: send them without it.",
  });
}

/** The refusal of content that cannot be relied on from some place on; any other error as it is. */
export function refuseMalformed(error: unknown): unknown {
  if (!(error instanceof MalformedContent)) return error;
  const { detail, line, column } = error;
  const cause = line === undefined ? "" : ` because of line ${line}`;
  const errors = line === undefined ? [] : [{ line, pointer: toPointer(), detail }];
  const told = { detail: `Nothing was stored${cause}: ${detail}.`, line, column, errors };
  return new HttpError(problem(problemTypes.malformedContent, told), { cause: error });
}
