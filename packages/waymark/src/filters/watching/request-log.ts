import { andThen } from "../../common/and-then.ts";
import { DeclarationSite } from "../../common/declaration.ts";
import { type Filter, requireFunction } from "../../filter.ts";
import type { HttpRequest } from "../../request.ts";
import type { HttpResponse } from "../../response.ts";
import { requestId } from "./request-id.ts";

/** A request that has been answered. */
export interface RequestLogEntry {
  readonly method: string;
  /** Without the query, which may have what no log should keep. */
  readonly path: string;
  /** The template of the route, `/books/{id}`; undefined for a refusal. */
  readonly route: string | undefined;
  readonly status: number;
  /** In milliseconds, until all was sent or the client had gone. */
  readonly duration: number;
  /** Whether the client was sent the whole response. */
  readonly isSent: boolean;
  /** The id that `nameRequests` gave it, in whatever order the filters stand; undefined without that filter. */
  readonly id: string | undefined;
  readonly address: string | undefined;
}

/**
 * Writes an entry for every request when its answer has been sent, on any runtime. For `router({ filters })`.
 *
 * ```ts
 * router({ filters: [requestLog((entry) => pino.info(entry)), nameRequests()] }, ...routes)
 * ```
 */
export function requestLog(write: (entry: RequestLogEntry) => void): Filter {
  requireFunction("requestLog(…) takes a function", write);
  return whenEnded(new DeclarationSite(requestLog), (request, response, duration, isSent) =>
    write({
      method: request.method,
      path: request.path,
      route: request.route?.path,
      status: response.status,
      duration,
      isSent,
      id: request.attribute(requestId),
      address: request.client.address,
    }),
  );
}

/** Makes a filter that calls back once for each request that has a response: when that has been sent, or the client has gone. */
export function whenEnded(
  site: DeclarationSite,
  ended: (request: HttpRequest, response: HttpResponse, duration: number, isSent: boolean) => void,
): Filter {
  return {
    kind: "filter",
    apply: (request, next) => {
      const started = performance.now();
      return andThen(next(request), (response) => {
        const conclude = (isSent: boolean): void => ended(request, response, performance.now() - started, isSent);
        // Nothing is sent of a response to a request made by hand.
        if (!request.onEnd(conclude)) conclude(true);
        return response;
      });
    },
    site,
  };
}
