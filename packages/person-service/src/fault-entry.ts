import { inspect } from "node:util";
import { type HttpRequest, requestId } from "waymark";

/** What the log has of a fault: the id that the response has in `X-Request-Id`, and the error with its stack and causes. */
export function faultEntry(error: unknown, request: HttpRequest | undefined): string {
  // A stream that breaks while it is sent is told with the request as it came, before it was named.
  return `request ${request?.attribute(requestId) ?? "without an id"}: ${inspect(error)}`;
}
