import { dataHeaders } from "./data-headers.ts";
import { HeaderList } from "./header-list.ts";
import type { ProblemType } from "./problem-types.ts";
import { HttpResponse } from "./response.ts";

/** One place that is wrong (RFC 9457 §3, the `errors` extension of its example). */
export interface ProblemError {
  readonly detail: string;
  /** A JSON Pointer as a URI fragment, `#/address/postalCode`; `#` is the whole content. */
  readonly pointer?: string;
  /** The query parameter that is wrong. */
  readonly parameter?: string;
}

/** What is particular to this occurrence; members beyond these are sent as extensions (RFC 9457 §3.2). */
export interface ProblemDetails {
  /** What was wrong and what would be right, for a person. Never a secret, a stack or a query. */
  readonly detail?: string;
  readonly errors?: readonly ProblemError[];
  readonly [extension: string]: unknown;
}

/**
 * A problem document (RFC 9457). It is not to be stored: 404, 405 and 501 would be by default (RFC 9110 §15.1). And it repeats
 * what clients sent, so browsers are told to make nothing of it but JSON, also where the adapter answers before any filter.
 *
 * ```ts
 * problem(problemTypes.notAcceptable, { detail: "…", available: ["application/json"] })
 * ```
 */
export function problem(type: ProblemType, details: ProblemDetails = {}): HttpResponse {
  const { status, title } = type;
  return new HttpResponse(status, fields, JSON.stringify({ type: problemPath(type), title, status, ...details }));
}

/** The `type` of the problems of a kind: the path of their page. */
export const problemPath = ({ code }: ProblemType): string => `/problems/${code}`;

const fields = HeaderList.of({
  "Content-Type": "application/problem+json",
  "Cache-Control": "no-store",
  ...dataHeaders,
});
