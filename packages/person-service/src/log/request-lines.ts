import { type RequestEvent, type RequestObserver, requestEvent } from "@waymark/node";
import { type BeforeFilter, before } from "waymark";
import { caller } from "waymark/filters";
import type { Log } from "./log.ts";

/** Logs a line for each request. */
export interface RequestLines {
  readonly observer: RequestObserver;
  /** Notes the caller of a request. Belongs inside the access filter, which finds the caller. */
  readonly filter: BeforeFilter;
}

/**
 * Logs a line for each request when it has ended: its id, method, route template, status, milliseconds, bytes of content that
 * were sent and, if there were any, received, and caller. From what the client sent it has only the method and a well-formed id.
 */
export function requestLines(log: Log): RequestLines {
  const callers = new WeakMap<RequestEvent, string>();
  return {
    observer: {
      onEnd(event) {
        const { request, response, contentBytes, receivedBytes, duration, isSent } = event;
        const known = callers.get(event);
        log.write("info", "request", undefined, {
          id: response?.header("X-Request-Id"),
          method: request.method.slice(0, longestMethod),
          route: request.route?.path,
          status: response?.status,
          ms: Math.round(duration * 1000) / 1000,
          bytes: contentBytes,
          ...(receivedBytes > 0 && { received: receivedBytes }),
          ...(known !== undefined && { caller: known.slice(0, longestCaller) }),
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

/** In characters: an unknown method may be any text. */
const longestMethod = 20;
/** The subject of a token may be as long as the token. */
const longestCaller = 200;
