import { quote, typeName } from "../common/wording.ts";
import { HttpRequest } from "../request.ts";
import { HttpResponse, jsonText, type ResponseOf } from "../response.ts";

export declare namespace eventStream {
  /** An event of an event stream (WHATWG HTML, section 9.2). */
  interface Event {
    /** Text as it is, or a value that is sent as JSON. Browsers report no event without it. */
    readonly data?: unknown;
    /** The type of the event: what a page listens to. Default: `message`. */
    readonly event?: string;
    /** What a client that lost the stream sends as `Last-Event-ID`. */
    readonly id?: string;
    /** In milliseconds: how soon a client that lost the stream asks again. */
    readonly retry?: number;
  }
}

/** The options of `eventStream`. */
export interface EventStreamOptions {
  /** In milliseconds: how long the stream is silent before a comment shows that both ends are there. Default: 15,000. */
  readonly heartbeat?: number;
}

/**
 * Makes a response of server-sent events, each sent as it comes. It begins at once, and ends with the source, when the client goes
 * away, and when the server shuts down, also while the source waits. A source that waits gets the signal of the request, so that
 * nothing of it stays behind.
 *
 * ```ts
 * async function* news(signal: AbortSignal) {
 *   for await (const [item] of on(emitter, "item", { signal })) yield { event: "news", data: item };
 * }
 * GET("/news", accept("text/event-stream"), (request) => eventStream(request, news(request.signal)))
 * ```
 *
 * A type or an id with a line break cuts the stream off with a TypeError, as what the source throws does.
 *
 * @throws TypeError when the request does not come first; RangeError when `heartbeat` is not a number of milliseconds from 1
 */
export function eventStream(
  request: HttpRequest<unknown>,
  events: Iterable<eventStream.Event> | AsyncIterable<eventStream.Event>,
  { heartbeat = 15_000 }: EventStreamOptions = {},
): ResponseOf<200, never> {
  if (!(request instanceof HttpRequest)) {
    throw new TypeError(`eventStream(…) takes the request, and then the events, not ${typeName(request)}`);
  }
  if (!(heartbeat >= 1)) throw new RangeError(`heartbeat is a number of milliseconds from 1, not ${heartbeat}`);
  const source = Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]();
  const body = endingUnread(pieces(request, source, heartbeat), source);
  return new HttpResponse(200, eventStreamFields, body) as ResponseOf<200, never>; // answers(…) compares the status only
}

/** Proxies should pass on what comes at once, as it is: nginx looks for the last of these fields. */
export const eventStreamFields = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
} as const;

/** What a client ignores, and a connection that is broken does not survive. */
const heartbeatComment = ":\n\n";

async function* pieces(
  { signal, draining }: HttpRequest<unknown>,
  source: Source,
  heartbeat: number,
): AsyncGenerator<string, void, undefined> {
  const isOver = (): boolean => signal.aborted || draining.aborted;
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  for (const each of [signal, draining]) each.addEventListener("abort", onAbort);
  try {
    yield heartbeatComment;
    while (!isOver()) {
      const next = Promise.resolve(source.next());
      let isThere = false;
      const arrive = (): void => {
        isThere = true;
        wake();
      };
      next.then(arrive, arrive);
      while (!isThere && !isOver()) {
        // No race with a promise for the end: each would leave something with it, for as long as the stream goes on.
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, heartbeat);
        await promise;
        clearTimeout(timer);
        if (!isThere && !isOver()) yield heartbeatComment;
      }
      if (isOver()) return;
      const { done, value } = await next;
      if (done === true) return;
      yield textOf(value);
    }
  } finally {
    for (const each of [signal, draining]) each.removeEventListener("abort", onAbort);
    end(source);
  }
}

type Source = Iterator<eventStream.Event> | AsyncIterator<eventStream.Event>;

/** Nobody waits for it: a generator that waits for something ends after that. */
function end(source: Source): void {
  Promise.resolve(source.return?.()).catch(() => undefined);
}

/** Ends the source of a stream that nobody reads, such as that of HEAD: a generator that has not begun runs nothing at its end. */
function endingUnread(pieces: AsyncGenerator<string, void, undefined>, source: Source): AsyncIterable<string> {
  let hasBegun = false;
  const iterator: AsyncIterator<string, void, undefined> = {
    next() {
      hasBegun = true;
      return pieces.next();
    },
    return() {
      if (!hasBegun) end(source);
      hasBegun = true;
      return pieces.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

function textOf({ event, id, retry, data }: eventStream.Event): string {
  const fields = Object.entries({ event, id, retry }).filter(([, value]) => value !== undefined);
  const broken = fields.find(([, value]) => /[\r\n\0]/.test(String(value)));
  if (broken !== undefined)
    throw new TypeError(`The ${broken[0]} of an event is one line, not ${quote(String(broken[1]))}`);
  const text = data === undefined ? [] : (typeof data === "string" ? data : jsonText(data)).split(/\r\n|\r|\n/);
  const lines = [...fields, ...text.map((line) => ["data", line])].map(([name, value]) => `${name}: ${value}\n`);
  return `${lines.join("")}\n`;
}
