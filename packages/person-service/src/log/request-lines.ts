import { observeRequests, type RequestObserver } from "@waymark/node";
import { before, type Filter } from "waymark";
import { caller } from "waymark/filters";
import type { Log } from "./log.ts";

/** Logs a line for each request. */
export interface RequestLines {
  readonly observer: RequestObserver;
  /** Notes the caller of a request. Belongs inside the access filter, which finds the caller. */
  readonly filter: Filter;
}

/**
 * Logs a line for each request when it has ended: its id, method, route template, status, milliseconds, bytes of content that
 * were sent and, if there were any, received, and caller. From what the client sent it has only the method and a well-formed id.
 */
export function requestLines(log: Log): RequestLines {
  const callers = new WeakMap<observeRequests.Event, string>();
  /** Returns what writes the line of an answer like this one; it keeps nothing of the event. */
  const writerOf = (event: observeRequests.Event): ((end: RequestEnd, id: string | undefined) => void) => {
    const { request, response, contentBytes: bytes, receivedBytes: received } = event;
    const write = log.writer("info", "request", {
      method: request.method.slice(0, longestMethod),
      route: request.route?.path,
      status: response?.status,
      bytes,
      received: received > 0 ? received : undefined,
      caller: callers.get(event)?.slice(0, longestCaller),
    });
    return ({ duration, isSent }, id) =>
      write({ id, ms: Math.round(duration * 1000) / 1000, aborted: isSent ? undefined : true });
  };
  return {
    observer: {
      onEnd: (event) => writerOf(event)(event, event.response?.header(idField)),
      onRepeat(event) {
        const write = writerOf(event);
        return (repeated) => write(repeated, repeated.renewed(idField));
      },
    },
    filter: before(
      (request) => {
        const event = request.attribute(observeRequests.event);
        const known = request.attribute(caller);
        if (event !== undefined && known !== undefined) callers.set(event, known.id);
        return request;
      },
      { describes: {}, repeatable: true },
    ),
  };
}

type RequestEnd = Pick<observeRequests.Event, "duration" | "isSent">;

const idField = "X-Request-Id";

/** In characters: an unknown method may be any text. */
const longestMethod = 20;
/** The subject of a token may be as long as the token. */
const longestCaller = 200;
