import { type BodySource, joinBytes, openBody, type Step } from "../body/response-body.ts";
import { isPromise } from "../common/and-then.ts";
import type { ContentCoding } from "../content/coding.ts";
import type { HeaderList } from "../fields/header-list.ts";
import type { StreamedBody } from "../response.ts";

/**
 * Returns the streamed body of a response with these fields, coded. It is read no faster than it is taken, and ending it ends
 * the body at once, even while it waits.
 */
export function codeBody(body: StreamedBody, headers: HeaderList, coding: ContentCoding): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      // By a reader: the iterator of a stream that waits could not be ended before the stream gives something.
      const reader = gather(openBody(body, headers)).pipeThrough(coding.encode()).getReader();
      return {
        next: () => reader.read() as Promise<IteratorResult<Uint8Array, undefined>>, // a reader says so, too
        async return() {
          await reader.cancel();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** Codes content that is all there. */
export async function codeWhole(content: Uint8Array, coding: ContentCoding): Promise<Uint8Array> {
  const { readable, writable } = coding.encode();
  const writer = writable.getWriter();
  const [coded] = await Promise.all([new Response(readable).bytes(), writer.write(unshared(content)), writer.close()]);
  return coded;
}

/** Returns the pieces of a body, those that are there joined to some KiB. */
function gather(source: BodySource): ReadableStream<Uint8Array<ArrayBuffer>> {
  let asked: Step | Promise<Step> | undefined;
  return new ReadableStream(
    {
      async pull(controller) {
        const pieces: Uint8Array[] = [];
        let size = 0;
        while (size < enough) {
          asked ??= source.next();
          if (isPromise(asked) && size > 0) {
            // The next read reports that it failed.
            asked.catch(() => undefined);
            break;
          }
          const { done, value }: Step = await asked;
          asked = undefined;
          if (done === true) {
            if (size > 0) controller.enqueue(unshared(joinBytes(pieces)));
            controller.close();
            return;
          }
          const piece = typeof value === "string" ? utf8.encode(value) : value;
          pieces.push(piece);
          size += piece.byteLength;
        }
        controller.enqueue(unshared(joinBytes(pieces)));
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** No body is in shared memory: the types of streams leave it out. */
const unshared = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

// Bytes: a call of the encoder costs 20 to 50 µs however little it takes, about what coding these does.
const enough = 16_384;
const utf8 = new TextEncoder();
