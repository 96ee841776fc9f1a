import { andThen } from "./and-then.ts";
import { typeName } from "./declaration.ts";
import { fieldLines, type HeaderList, isSenderField } from "./fields/header-list.ts";
import { excerpt } from "./message-text.ts";
import type { HttpResponse, ResponseBody } from "./response.ts";

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
  let over = false;
  const accept = (step: UncheckedStep): Step => {
    over = step.done === true;
    check ??= pieceCheck(declaredLength(headers));
    return check(step);
  };
  const fail = (error: unknown): never => {
    over = true;
    throw error;
  };
  return {
    next() {
      let step: ReturnType<UncheckedSource["next"]>;
      try {
        step = source.next();
      } catch (error) {
        return fail(error);
      }
      return andThen(step, accept, fail);
    },
    // A web stream that has failed would fail again.
    cancel: async () => (over ? undefined : source.cancel()),
  };
}

/** Returns whether the body is sent in pieces. */
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
      if (isNodeStream(body)) await destroyed(body);
      else await iterator.return?.();
    },
  };
}

/** The part of a Node stream that ending it needs; the core has no types of Node's. */
interface NodeStream {
  on(event: "close" | "error", listener: (error?: unknown) => void): NodeStream;
  destroy(): unknown;
}

const isNodeStream = (body: object): body is NodeStream =>
  "destroy" in body && typeof body.destroy === "function" && "on" in body && typeof body.on === "function";

// Its iterator would leave it open when it is ended before its first step. One that fails now, a file that is not there,
// would end the process if nobody listened.
function destroyed(stream: NodeStream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on("close", () => resolve()).on("error", reject);
    stream.destroy();
  });
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
  throw new TypeError(`A streamed body has pieces of text or bytes, not ${typeName(value)}`);
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

/**
 * Returns whether the response to this method with this status goes without content, whatever its body (RFC 9110
 * §6.4.1, §15.3.6).
 */
export function hasNoContent(method: string, status: number): boolean {
  return method === "HEAD" || isBodilessStatus(status);
}

/**
 * Returns the Content-Length of a response whose content is not sent: for HEAD the one that GET would have, where that is known
 * (RFC 9110 §8.6, §9.3.2).
 *
 * @throws TypeError as `declaredLength` does
 */
export function unsentLength(response: HttpResponse, byteLength: (text: string) => number): number | undefined {
  const { status, body, headers } = response;
  if (status === 205) return 0;
  if (isBodilessStatus(status)) return undefined;
  if (typeof body === "string") return byteLength(body);
  if (body instanceof Uint8Array) return body.byteLength;
  // Where all is well a handler may have spared HEAD the content that GET has; an error without content has none for GET either.
  return declaredLength(headers) ?? (body === null && status >= 400 ? 0 : undefined);
}

/**
 * Returns the length that the response declares for its streamed body; undefined when it declares none.
 *
 * @throws TypeError when the response's Content-Length is not one number of bytes
 */
export function declaredLength(headers: HeaderList): number | undefined {
  const value = headers.get("Content-Length");
  if (value === undefined) return undefined;
  const length = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(length)) {
    throw new TypeError(`The Content-Length of a response is a number of bytes, not ${excerpt(value)}`);
  }
  return length;
}

/**
 * Returns the response's fields, but for the type of content where the status has none. Among them may be some that are
 * the sender's.
 */
export function representedFields({ status, headers }: HttpResponse): HeaderList {
  return isBodilessStatus(status) ? headers.without("Content-Type") : headers;
}

/**
 * Returns the response's fields as names and values in turn, without those that are the sender's.
 *
 * @throws TypeError when a field cannot be sent
 */
export function handlerFields(response: HttpResponse): readonly string[] {
  const fields = representedFields(response);
  // What a transport makes of a field that it cannot carry differs, and some send it.
  fieldLines(fields);
  const { flat } = fields;
  return flat.filter((_, i) => !isSenderField(flat[i - (i % 2)] as string));
}

const isBodilessStatus = (status: number): boolean => status === 204 || status === 304 || status === 205;
