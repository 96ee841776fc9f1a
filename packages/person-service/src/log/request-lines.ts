import { type BeforeFilter, before } from "waymark";
import { caller } from "waymark/filters";
import { type RequestEvent, type RequestObserver, requestEvent } from "waymark/node";
import type { Log } from "./log.ts";

/** Logs a line for each request. */
export interface RequestLines {
  readonly observer: RequestObserver;
  /** Notes the caller of a request; for behind the access filter, which finds that. */
  readonly filter: BeforeFilter;
}

/**
 * Makes what logs a line for each request that has ended: its id, method, the template of its route, status, milliseconds, bytes of
 * content and caller. There is nothing in it that a client has sent but the method and, where it is well-formed, the id.
 */
export function requestLines(log: Log): RequestLines {
  const callers = new WeakMap<RequestEvent, string>();
  return {
    observer: {
      onEnd(event) {
        const { request, response, contentBytes, duration, isSent } = event;
        const known = callers.get(event);
        log.write("info", "request", undefined, {
          id: response?.header("X-Request-Id"),
          method: request.method.slice(0, longestMethod),
          route: request.route?.path,
          status: response?.status,
          ms: Math.round(duration * 1000) / 1000,
          bytes: contentBytes,
          ...(known !== undefined && { caller: known }),
          ...(!isSent && { aborted: true }),
        });
      },
    },
    filter: before((request) => {
      const event = request.attribute(requestEvent);
      const known = request.attribute(caller);
      if (event !== undefined && known !== undefined) callers.set(event, known.id);
      return request;
    }),
  };
}

/** Methods that nobody has heard of are the client's text. */
const longestMethod = 20;
