import type { StoredRecord } from "../store.ts";

/** How the texts of single records become that of a list. */
export interface ListSyntax {
  readonly item: (record: StoredRecord) => string;
  /** What stands before the first record, between two, and after the last; unless told, nothing. */
  readonly before?: string;
  readonly between?: string;
  readonly after?: string;
}

/**
 * The text of many records, in pieces of about 64 KiB; a batch is read when a piece is asked for, and none is kept.
 *
 * ```ts
 * listText(batches, { before: "[", item: ({ json }) => json, between: ",", after: "]" })
 * ```
 */
export async function* listText(
  batches: AsyncIterable<readonly StoredRecord[]>,
  { item, before = "", between = "", after = "" }: ListSyntax,
): AsyncGenerator<string, void, undefined> {
  let piece = before;
  let separator = "";
  for await (const batch of batches) {
    for (const record of batch) {
      piece += separator + item(record);
      separator = between;
      if (piece.length >= pieceSize) {
        yield piece;
        piece = "";
      }
    }
  }
  piece += after;
  if (piece !== "") yield piece;
}

const pieceSize = 65_536;
