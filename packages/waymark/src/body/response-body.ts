import { andThen } from "../common/and-then.ts";
import { typeName } from "../common/wording.ts";
import type { HeaderList } from "../fields/header-list.ts";
import type { ResponseBody, StreamedBody } from "../response.ts";
import { declaredLength } from "./sent-fields.ts";

export type Piece = string | Uint8Array;
export type Step<P = Piece> = IteratorResult<P, unknown>;

/** A streamed body as an adapter reads it. */
export interface BodySource<P = Piece> {
  /** The next piece; a promise only when it has to be waited for. Throws what the body throws. */
  next(): Step<P> | Promise<Step<P>>;
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

/** Reads a body of a response with these fields to its end. */
export async function readWhole(body: ResponseBody, headers: HeaderList): Promise<Uint8Array> {
  if (typeof body === "string") return utf8.encode(body);
  if (body === null || body instanceof Uint8Array) return body ?? new Uint8Array();
  const source = openBody(body, headers);
  const pieces: Uint8Array[] = [];
  for (let step = await source.next(); step.done !== true; step = await source.next()) {
    pieces.push(typeof step.value === "string" ? utf8.encode(step.value) : step.value);
  }
  return joinBytes(pieces);
}

/** Returns the pieces as one array; of a single piece that very array. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Returns a stream of the pieces, which are asked for as it is read; to cancel it ends them. */
export function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>); // adapters share no memory
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

const utf8 = new TextEncoder();

// Through a reader rather than the stream's iterator: a reader can be cancelled while it waits.
function readerSource(stream: ReadableStream<unknown>): UncheckedSource {
  const reader = stream.getReader();
  return { next: () => reader.read() as Promise<UncheckedStep>, cancel: () => reader.cancel() };
}

function iteratorSource(body: Exclude<StreamedBody, ReadableStream>): UncheckedSource {
  requireIterable(body);
  const iterator = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  // A generator is its own iterator, which gives nothing the second time; an array has another each time.
  if (Object.is(iterator, body) || isNodeStream(body)) {
    if (opened.has(body)) throw new TypeError("A streamed body can be sent only once: make one for each response");
    opened.add(body);
  }
  return {
    next: () => iterator.next(),
    async cancel() {
      if (isNodeStream(body)) await destroyed(body);
      else await iterator.return?.();
    },
  };
}

/** JavaScript callers give anything. */
function requireIterable(body: unknown): void {
  if (typeof body === "object" && body !== null && (Symbol.asyncIterator in body || Symbol.iterator in body)) return;
  const found = body instanceof Blob || body instanceof ArrayBuffer ? body.constructor.name : typeName(body);
  throw new TypeError(
    `A body is text, bytes or an iterable of them, not ${found}; of a Blob it is its stream(), of an ArrayBuffer new Uint8Array(…)`,
  );
}

const opened = new WeakSet<object>();

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

type UncheckedSource = BodySource<unknown>;
type UncheckedStep = Step<unknown>;
type Check = (step: UncheckedStep) => Step;

function assertPiece(step: UncheckedStep): Step {
  const { done, value } = step;
  if (done === true || typeof value === "string" || value instanceof Uint8Array) return step as Step;
  throw new TypeError(`A streamed body has pieces of text or bytes, not ${typeName(value)}`);
}

function pieceCheck(length: number | undefined): Check {
  if (length === undefined) return assertPiece;
  let sent = 0;
  return (unchecked) => {
    const step = assertPiece(unchecked);
    if (step.done === true) {
      if (sent < length)
        throw new TypeError(`The body ended after ${sent} of the ${length} bytes of its Content-Length`);
      return step;
    }
    const value = typeof step.value === "string" ? utf8.encode(step.value) : step.value;
    sent += value.byteLength;
    if (sent > length) throw new TypeError(`The body is longer than the ${length} bytes of its Content-Length`);
    return { done: false, value };
  };
}
