import type { HttpResponse } from "./response.ts";

/**
 * A response that is thrown. At the boundary of the handler or filter that threw it, it becomes that response, so the
 * filters around see a response and `onError` does not see an error.
 *
 * ```ts
 * throw new HttpError(problem(problemTypes.invalidContent, { detail: "…" }));
 * ```
 */
export class HttpError extends Error {
  readonly response: HttpResponse;

  constructor(response: HttpResponse, options?: ErrorOptions) {
    super(`HTTP ${response.status}`, options);
    this.name = "HttpError";
    this.response = response;
  }
}
