import * as problemTypes from "../common/problem-types.ts";
import { HttpError, problem } from "../problem.ts";
import { ContentError } from "./decoder.ts";
import { type StandardSchemaV1, saidForPrograms, toShortPointer } from "./standard-schema.ts";

/** Returns the refusal of content that is longer than the limit, in bytes. */
export function contentTooLarge(limit: number): HttpError {
  const detail = `The content is longer than ${limit} bytes.`;
  return new HttpError(problem(problemTypes.contentTooLarge, { detail, limit }));
}

/** Returns the refusal of coded content that becomes too many times as long when it is decoded. */
export function contentExpandsTooFar(maxExpansion: number): HttpError {
  const detail = `The content becomes more than ${maxExpansion} times as long when it is decoded.`;
  return new HttpError(problem(problemTypes.contentExpandsTooFar, { detail, limit: maxExpansion }));
}

/**
 * Makes the error of reading content when the client goes away before it is complete (RFC 9112 §8). An HttpError, since
 * nothing failed here; nobody is left to receive it.
 */
export function contentInterrupted(cause?: unknown): HttpError {
  return new HttpError(interrupted, { cause });
}

const interrupted = problem(problemTypes.malformedContent, { detail: "The content ended before it was complete." });

/** Returns the refusal of malformed content; undefined when the error is not that of a decoder. */
export function malformedRefusal(cause: unknown): HttpError | undefined {
  if (!(cause instanceof ContentError)) return undefined;
  const { message, line, column } = cause;
  return new HttpError(problem(problemTypes.malformedContent, { detail: `${message}.`, line, column }), { cause });
}

/** Returns the refusal of content that breaks rules of its schema, with the first thousand that it breaks. */
export function invalidContent(issues: readonly StandardSchemaV1.Issue[]): HttpError {
  const errors = issues.slice(0, mostErrors).map((issue) => ({
    detail: shortened(issue.message),
    pointer: toShortPointer(issue.path),
    ...saidForPrograms(issue),
  }));
  const listed = issues.length > mostErrors ? `; the first ${mostErrors} are listed` : "";
  const detail =
    issues.length === 1 ? "The content breaks a rule." : `The content breaks ${issues.length} rules${listed}.`;
  return new HttpError(problem(problemTypes.invalidContent, { detail, errors }));
}

/** A message may repeat what the client sent, such as the name of an unknown member. */
function shortened(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`;
}

// Nobody reads more, and a request of 1 MiB must not be answered with ten.
const mostErrors = 1000;
const longestMessage = 1000;
