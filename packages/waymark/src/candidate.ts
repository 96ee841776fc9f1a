import type { Alternative } from "./alternative.ts";
import { compileNegotiation, stages } from "./check.ts";
import type { Next } from "./filter.ts";
import { compileBinding, matchPattern } from "./path-pattern.ts";
import type { Variables } from "./path-variables.ts";
import { HttpRequest } from "./request.ts";

/** An alternative made ready to be tried. */
export interface Candidate {
  readonly alternative: Alternative;
  /** Among all candidates of the router, which are tried in this order. */
  readonly order: number;
  /** The filters and the handler. */
  readonly run: Next;
  readonly bind: (segments: readonly string[]) => Variables;
  /** The media type that Accept chooses; undefined when the route names none. */
  readonly negotiate: ((request: HttpRequest) => string | undefined) | undefined;
}

export function toCandidate(alternative: Alternative, order: number, run: Next): Candidate {
  const { accept, pattern, furtherPatterns } = alternative;
  const bind = compileBinding([pattern, ...furtherPatterns]);
  return { alternative, order, run, bind, negotiate: accept && negotiator(accept.mediaTypes) };
}

/** Whether all that it says of the path, beside the pattern that it was found by, holds. */
export function takesPath({ alternative }: Candidate, segments: readonly string[]): boolean {
  return (
    alternative.checks.every(({ stage, holds }) => stage !== stages.path || holds(anyRequest, "", segments)) &&
    alternative.furtherPatterns.every((pattern) => matchPattern(pattern, segments) !== undefined)
  );
}

/** Whether `takesPath` can differ between paths that the pattern takes. */
export function restrictsPath({ alternative }: Candidate): boolean {
  return alternative.furtherPatterns.length > 0 || alternative.checks.some(({ stage }) => stage === stages.path);
}

export function takesMethod({ alternative }: Candidate, method: string): boolean {
  if (alternative.methods !== undefined && !alternative.methods.has(method)) return false;
  return alternative.checks.every(({ stage, holds }) => stage !== stages.method || holds(anyRequest, method, []));
}

// The checks of the stages path and method read nothing of a request but those, and they are given beside it.
const anyRequest = HttpRequest.of();

function negotiator(mediaTypes: readonly string[]): (request: HttpRequest) => string | undefined {
  const choose = compileNegotiation(mediaTypes);
  return (request) => mediaTypes[choose(request.headers.get("accept"))];
}
