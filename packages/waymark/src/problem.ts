import type { ProblemError, ProblemType } from "./common/problem-document.ts";
import * as problemTypes from "./common/problem-types.ts";
import { escapeUnprintable, typeName } from "./common/wording.ts";
import { HeaderList } from "./fields/header-list.ts";
import { HttpResponse, type ProblemResponse } from "./response.ts";

/**
 * What keeps browsers from making anything but data of a response: they do not guess another type, load and run nothing, show it
 * in no frame, and send no Referer (the Fetch standard; Content Security Policy; Referrer Policy).
 */
export const dataHeaders: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

/** Describes this occurrence of a problem. Other members are sent as extensions (RFC 9457 §3.2). */
export interface ProblemDetails {
  /** What was wrong and what would be right. Never put a secret, a stack or a query here. */
  readonly detail?: string;
  readonly errors?: readonly ProblemError[];
  readonly [extension: string]: unknown;
}

/**
 * Makes a problem document (RFC 9457), which the response carries as `problem` until it is sent. Caches do not store it, and
 * browsers treat it as data.
 *
 * ```ts
 * problem(problemTypes.notAcceptable, { detail: "…", available: ["application/json"] })
 * ```
 */
export function problem(type: ProblemType, details: ProblemDetails = {}): ProblemResponse {
  if (typeof type?.code !== "string") {
    throw new TypeError(`problem(…) takes a type of problems, such as problemTypes.notFound, not ${typeName(type)}`);
  }
  const { status, title } = type;
  const document = { type: problemPath(type), title, status, ...details, ...inPrint(details) };
  return new HttpResponse(status, fields).withProblem(document);
}

/** Returns the sentences as they can be shown, whatever a decoder or a schema of others has put into them. */
function inPrint({ detail, errors }: ProblemDetails): ProblemDetails {
  return {
    ...(detail !== undefined && { detail: escapeUnprintable(detail) }),
    ...(errors && { errors: errors.map((error) => ({ ...error, detail: escapeUnprintable(error.detail) })) }),
  };
}

/** Returns the `type` of the problems of a kind: the path of their page. */
export const problemPath = ({ code }: ProblemType): string => `/problems/${code}`;

const fields = HeaderList.of({
  "Content-Type": "application/problem+json",
  "Cache-Control": "no-store",
  ...dataHeaders,
});

/** The answer to a fault, which says nothing of it. */
export const internalError: HttpResponse = problem(problemTypes.internalError);

/**
 * Throws a response: where it leaves the handler or filter, it becomes that response. The filters around it see a
 * response, and `onError` does not see it.
 *
 * ```ts
 * throw new HttpError(problem(problemTypes.invalidContent, { detail: "…" }));
 * ```
 */
export class HttpError extends Error {
  readonly response: HttpResponse;

  /** @throws TypeError when it is not a response */
  constructor(response: HttpResponse, options?: ErrorOptions) {
    const given: unknown = response; // JavaScript callers pass anything, such as a status.
    if (!(given instanceof HttpResponse)) {
      throw new TypeError(
        `new HttpError(…) takes a response, such as notFound() or problem(…), not ${typeName(given)}`,
      );
    }
    super(`HTTP ${response.status}`, options);
    this.name = "HttpError";
    this.response = response;
  }
}
