import { joinBytes } from "../body/response-body.ts";
import { contentTooLarge } from "./refusals.ts";

/** Where the content of a request comes from; each adapter has its own. It is asked at most once, for one of the two. */
export interface ContentSource {
  /** The declared length in bytes, 0 when there is no content, undefined when it is not known before the end. */
  readonly length: number | undefined;
  /** Everything; rejects with `contentTooLarge(limit)` once there are more bytes than the limit. */
  bytes(limit: number): Promise<Uint8Array>;
  /** Everything in pieces, as they arrive; throws as `bytes` rejects. */
  stream(limit: number): AsyncIterable<Uint8Array>;
}

/** Content that is all there from the start; text is sent as UTF-8. */
export function bufferedSource(body: string | Uint8Array | undefined): ContentSource {
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const within = (limit: number): Uint8Array => {
    if (content !== undefined && content.length > limit) throw contentTooLarge(limit);
    return content ?? new Uint8Array();
  };
  return {
    length: content?.length ?? 0,
    bytes: async (limit) => within(limit),
    async *stream(limit) {
      const all = within(limit);
      if (all.length > 0) yield all;
    },
  };
}

/** Content in pieces that are asked for as they are read. Default of the length: it is known when the content has ended. */
export const streamedSource = (pieces: AsyncIterable<Uint8Array>, length?: number): ContentSource => ({
  length,
  bytes: async (limit) => joinBytes(await Array.fromAsync(bounded(pieces, limit))),
  stream: (limit) => bounded(pieces, limit),
});

/** Passes the pieces on; throws `contentTooLarge(limit)` once there are more bytes than the limit. */
export async function* bounded(
  pieces: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array, void, void> {
  let left = limit;
  for await (const piece of pieces) {
    left -= piece.byteLength;
    if (left < 0) throw contentTooLarge(limit);
    yield piece;
  }
}
