import { HttpError } from "../http-error.ts";
import { problem } from "../problem.ts";
import { problemTypes } from "../problem-types.ts";

/**
 * What reading the content ends with when the client goes away before it is complete (RFC 9112 §8). An HttpError, since
 * nothing failed here; nobody is left to receive it.
 */
export function contentInterrupted(cause?: unknown): HttpError {
  return new HttpError(interrupted, { cause });
}

const interrupted = problem(problemTypes.malformedContent, { detail: "The content ended before it was complete." });
