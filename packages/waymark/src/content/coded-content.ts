import { type ContentCoding, joinBytes } from "./coding.ts";
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
  const pieces: Uint8Array[] = [];
  for await (const piece of decodePieces(coding, oneOf(coded), bounds)) pieces.push(piece);
  return joinBytes(pieces);
}

async function* oneOf(content: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  if (content.length > 0) yield content;
}

/** Returns the content that is coded in the pieces; no more of it is made once it is longer than the limit or expands too far. */
export async function* decodePieces(
  coding: ContentCoding,
  pieces: AsyncIterable<Uint8Array>,
  { limit, maxExpansion }: DecodingBounds,
): AsyncGenerator<Uint8Array, void, void> {
  let [coded, decoded] = [0, 0];
  const counted = async function* (): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of pieces) {
      coded += piece.byteLength;
      yield piece;
    }
  };
  try {
    for await (const piece of coding.decode(counted())) {
      decoded += piece.byteLength;
      if (decoded > limit) throw contentTooLarge(limit);
      if (decoded > freeExpansion && decoded > maxExpansion * coded) throw contentExpandsTooFar(maxExpansion);
      yield piece;
    }
  } catch (cause) {
    throw malformedRefusal(cause) ?? cause;
  }
}

/** Decoded bytes that may come of however few coded ones: short content that repeats itself is usual, and harmless. */
const freeExpansion = 65_536;
