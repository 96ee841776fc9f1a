import { type Channel, channel } from "node:diagnostics_channel";
import {
  type Attribute,
  attribute,
  type Filter,
  type HttpRequest,
  type HttpResponse,
  type Next,
  repeatable,
} from "waymark";
import { type AdapterExchange, andThen, DeclarationSite, exchangeOf, openBody, sentFields } from "waymark/internal";
import { Takeover } from "./upgrade.ts";

/** Receives the events of requests. The functions must not throw. */
export interface RequestObserver {
  /** Called when a request has been read up to its content. */
  readonly onStart?: ((event: observeRequests.Event) => void) | undefined;
  /** Called when the whole response has been sent, or the client has gone. */
  readonly onEnd?: ((event: observeRequests.Event) => void) | undefined;
  /**
   * Called for an answer that may come again from memory. Returns what is called each time when it has come, in place of the other
   * functions. Default: they see each request, so that no answer comes from memory.
   */
  readonly onRepeat?: ((event: observeRequests.Event) => (repeated: repeatable.Repeated) => void) | undefined;
}

/**
 * Observes every request of an app, refused ones included. For `router({ filters })`, in the first place.
 *
 * ```ts
 * const observer: RequestObserver = {
 *   onEnd: ({ request, response, duration }) => console.log(request.route?.path, response?.status, duration),
 * };
 * router({ filters: [observeRequests(observer)] }, personRoutes(people));
 * ```
 */
export function observeRequests(observer: RequestObserver): Filter {
  return {
    kind: "filter",
    apply: (request, next) => observe(request, next, observer),
    repeatable: observer.onRepeat === undefined ? undefined : true,
    site: new DeclarationSite(observeRequests),
  };
}

export declare namespace observeRequests {
  /** A request that is being answered; one object for its start and its end. */
  interface Event {
    /** The request as it came. Its `route` is known at the end. */
    readonly request: HttpRequest;
    /** When it came, by `performance.now()`. */
    readonly started: number;
    /** The response as the filters left it; undefined at the start, and where the client went before there was one. */
    readonly response: HttpResponse | undefined;
    /** How many bytes of content were handed to the connection, in the content coding of the response. */
    readonly contentBytes: number;
    /** How many bytes of the request's content the app read, in its content coding; 0 at the start. */
    readonly receivedBytes: number;
    /** How long it took until all was sent or the client had gone, in milliseconds; 0 at the start. */
    readonly duration: number;
    /** Whether the client was sent the whole response; false at the start. */
    readonly isSent: boolean;
  }
  /** The event of a request, for filters and handlers that know more of it than its observer; undefined without an observer. */
  const event: Attribute<Event>;
  /**
   * The names of the channels of `node:diagnostics_channel` on which `serve` and `toNodeListener` publish an event for the start and
   * the end of every request. While nobody subscribes nothing is measured.
   *
   * ```ts
   * diagnosticsChannel.subscribe(observeRequests.channels.end, (message) => {
   *   const { request, response, duration } = message as observeRequests.Event;
   *   console.log(request.method, request.route?.path, response?.status, duration);
   * });
   * ```
   */
  const channels: Readonly<Record<"start" | "end", string>>;
}
const requestEvent: Attribute<observeRequests.Event> = attribute("requestEvent");
const requestChannels = { start: "waymark.request.start", end: "waymark.request.end" };
Object.assign(observeRequests, { event: requestEvent, channels: requestChannels });

export const startChannel: Channel = channel(requestChannels.start);
export const endChannel: Channel = channel(requestChannels.end);
const publisher: RequestObserver = {
  onStart: (event) => startChannel.publish(event),
  onEnd: (event) => endChannel.publish(event),
};

/** What answers for an app. */
export type ServedApp = AdapterExchange["app"];

/** An app, and the same with its requests published on the channels. */
export interface PublishedApp {
  readonly app: ServedApp;
  readonly published: ServedApp;
}

/** Adds to the app the one with its requests published. */
export function withPublished(app: ServedApp): PublishedApp {
  const published: ServedApp = {
    answer: (request) => observe(request, (observed) => app.answer(observed), publisher),
    refuse: (request, refusal, malformed) =>
      observe(request, (observed) => app.refuse(observed, refusal, malformed), publisher),
    // Each request is published.
    isRepeatable: undefined,
    content: app.content,
    fault: (error, request) => app.fault(error, request),
  };
  return { app, published };
}

function observe(request: HttpRequest, next: Next, observer: RequestObserver): HttpResponse | Promise<HttpResponse> {
  const event: Writable<observeRequests.Event> = {
    request,
    started: performance.now(),
    response: undefined,
    contentBytes: 0,
    receivedBytes: 0,
    duration: 0,
    isSent: false,
  };
  observer.onStart?.(event);
  const conclude = (isSent: boolean): void => {
    event.duration = performance.now() - event.started;
    event.receivedBytes = exchangeOf(request).receivedBytes;
    event.isSent = isSent;
    observer.onEnd?.(event);
  };
  const isSent = request.onEnd(conclude);
  return andThen(next(request.withAttribute(requestEvent, event)), (response) => {
    const observed = observeResponse(event, response);
    if (observer.onRepeat !== undefined && exchangeOf(request).recording !== undefined) {
      repeatable.onRepeat(request, { onEnd: observer.onRepeat(event) });
    }
    // Nothing is sent of a response to a request made by hand.
    if (!isSent) conclude(true);
    return observed;
  });
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the response with what is sent of its content counted. */
function observeResponse(event: Writable<observeRequests.Event>, response: HttpResponse): HttpResponse {
  event.response = response;
  const { body } = response;
  // A connection that is handed over is not ours to count.
  if (body instanceof Takeover) return response;
  if (typeof body === "object" && body !== null && !(body instanceof Uint8Array))
    return response.withBody(counted(event, body, response));
  if (body !== null && !sentFields.hasNoContent(event.request.method, response.status)) {
    event.contentBytes = Buffer.byteLength(body);
  }
  return response;
}

function counted(
  event: Writable<observeRequests.Event>,
  body: Exclude<HttpResponse["body"], null | string | Uint8Array>,
  { headers }: HttpResponse,
): AsyncIterable<string | Uint8Array> {
  const count = <S extends IteratorResult<string | Uint8Array, unknown>>(step: S): S => {
    if (step.done !== true) event.contentBytes += Buffer.byteLength(step.value);
    return step;
  };
  return {
    [Symbol.asyncIterator]: () => {
      const source = openBody(body, headers);
      return {
        next: async () => andThen(source.next(), count),
        async return() {
          await source.cancel();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
