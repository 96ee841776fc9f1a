import { joinBytes, streamOf } from "../body/response-body.ts";
import type { ContentCoding } from "./coding.ts";
import { ContentError } from "./decoder.ts";
import { contentExpandsTooFar, contentTooLarge, malformedRefusal } from "./refusals.ts";

/** The bounds of decoded content. */
export interface DecodingBounds {
  /** In bytes. */
  readonly limit: number;
  /** How many times as long as the coded content it may become. */
  readonly maxExpansion: number;
}

/** Undoes the coding of content that has arrived. */
export async function decodeWhole(
  coding: ContentCoding,
  coded: Uint8Array,
  bounds: DecodingBounds,
): Promise<Uint8Array> {
  return joinBytes(await Array.fromAsync(decodePieces(coding, oneOf(coded), bounds)));
}

async function* oneOf(content: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  if (content.length > 0) yield content;
}

/** Returns the content that is coded in the pieces; no more of it is made once it is longer than the limit or expands too far. */
export async function* decodePieces(
  coding: ContentCoding,
  pieces: AsyncGenerator<Uint8Array, void, void>,
  { limit, maxExpansion }: DecodingBounds,
): AsyncGenerator<Uint8Array, void, void> {
  let [coded, decoded] = [0, 0];
  let failure: { readonly cause: unknown } | undefined;
  async function* received(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const piece of pieces) {
        coded += piece.byteLength;
        yield piece;
      }
    } catch (cause) {
      failure = { cause };
      throw cause;
    }
  }
  const reader = streamOf(received()).pipeThrough(coding.decode()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw failure === undefined ? undecodable(coding, cause) : failure.cause;
      });
      if (done) return;
      decoded += value.byteLength;
      if (decoded > limit) throw contentTooLarge(limit);
      if (decoded > freeExpansion && decoded > maxExpansion * coded) throw contentExpandsTooFar(maxExpansion);
      yield value;
    }
  } finally {
    // Of what has ended or failed there is nothing to cancel.
    reader.cancel().catch(() => undefined);
  }
}

/** What a coding cannot read is the client's mistake. */
function undecodable({ name }: ContentCoding, cause: unknown): unknown {
  // Node and the platform's own wrap what zlib says in a TypeError without a message.
  const said = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : cause;
  const reason = said instanceof Error ? said.message : String(said);
  return malformedRefusal(new ContentError(`The content is not ${name}: ${reason}`, undefined, { cause }));
}

/** Decoded bytes that may come of however few coded ones: short content that repeats itself is usual, and harmless. */
const freeExpansion = 65_536;
