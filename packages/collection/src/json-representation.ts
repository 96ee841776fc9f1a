import type { ItemRepresentation, ListRepresentation } from "./representation.ts";
import type { StoredRecord } from "./store.ts";

/** Records as JSON, sent as they are stored; many are one array. */
export const jsonRepresentation: ItemRepresentation & ListRepresentation = {
  name: "json",
  mediaType: "application/json",
  contentType: "application/json",
  item: ({ json }) => json,
  list: jsonArray,
};

async function* jsonArray(batches: AsyncIterable<readonly StoredRecord[]>): AsyncGenerator<string, void, undefined> {
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
