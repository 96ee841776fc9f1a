import type { HeaderList } from "../header-list.ts";
import { isPromise } from "../pipeline.ts";
import type { ResponseBody } from "../response.ts";
import { declaredLength } from "./response-framing.ts";

export type StreamedBody = Exclude<ResponseBody, null | string | Uint8Array>;
export type Piece = string | Uint8Array;
export type Step = IteratorResult<Piece, unknown>;

/** A streamed body as an adapter reads it. */
export interface BodySource {
  /** The next piece; a promise only when it has to be waited for. Throws what the body throws. */
  next(): Step | Promise<Step>;
  /** Ends the body early, so that it frees what it holds, even if it never began. Rejects when that fails. */
  cancel(): Promise<void>;
}

/**
 * Opens the streamed body of a response with these fields. When they have a Content-Length, a piece too many or too few is
 * an error of the body: a client would take what follows for the next response (RFC 9112 §6.3).
 *
 * @throws TypeError when the body cannot be read, or is being read
 */
export function openBody(body: StreamedBody, headers: HeaderList): BodySource {
  const source = body instanceof ReadableStream ? readerSource(body) : iteratorSource(body);
  let check: Check | undefined;
  return {
    next() {
      check ??= pieceCheck(declaredLength(headers));
      const step = source.next();
      return isPromise(step) ? step.then(check) : check(step);
    },
    cancel: () => source.cancel(),
  };
}

/** Whether the body is sent in pieces. */
export function isStreamed(body: ResponseBody): body is StreamedBody {
  return body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
}

// Through a reader rather than the stream's iterator: a reader can be cancelled while it waits.
function readerSource(stream: ReadableStream<unknown>): UncheckedSource {
  const reader = stream.getReader();
  return { next: () => reader.read() as Promise<UncheckedStep>, cancel: () => reader.cancel() };
}

function iteratorSource(body: Exclude<StreamedBody, ReadableStream>): UncheckedSource {
  const iterator = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  return {
    next: () => iterator.next(),
    async cancel() {
      // The iterator of a Node stream leaves the stream open when it is ended before its first step.
      if ("destroy" in body && typeof body.destroy === "function") body.destroy();
      else await iterator.return?.();
    },
  };
}

interface UncheckedSource {
  next(): UncheckedStep | Promise<UncheckedStep>;
  cancel(): Promise<void>;
}

type UncheckedStep = IteratorResult<unknown, unknown>;
type Check = (step: UncheckedStep) => Step;

function assertPiece(step: UncheckedStep): Step {
  const { done, value } = step;
  if (done === true || typeof value === "string" || value instanceof Uint8Array) return step as Step;
  throw new TypeError(`A streamed body has pieces of text or bytes, not ${value === null ? "null" : typeof value}`);
}

function pieceCheck(length: number | undefined): Check {
  if (length === undefined) return assertPiece;
  const encoder = new TextEncoder();
  let sent = 0;
  return (unchecked) => {
    const step = assertPiece(unchecked);
    if (step.done === true) {
      if (sent < length)
        throw new TypeError(`The body ended after ${sent} of the ${length} bytes of its Content-Length`);
      return step;
    }
    const value = typeof step.value === "string" ? encoder.encode(step.value) : step.value;
    sent += value.byteLength;
    if (sent > length) throw new TypeError(`The body is longer than the ${length} bytes of its Content-Length`);
    return { done: false, value };
  };
}
