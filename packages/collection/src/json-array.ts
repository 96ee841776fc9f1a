import type { StoredRecord } from "./store.ts";

/** The records as the text of a JSON array, in pieces of about 64 KiB; a batch is read when a piece is asked for. */
export async function* jsonArray(
  batches: AsyncIterable<readonly StoredRecord[]>,
): AsyncGenerator<string, void, undefined> {
  let piece = "[";
  let separator = "";
  for await (const batch of batches) {
    for (const { json } of batch) {
      piece += separator + json;
      separator = ",";
      if (piece.length >= pieceSize) {
        yield piece;
        piece = "";
      }
    }
  }
  yield `${piece}]`;
}

const pieceSize = 65_536;
