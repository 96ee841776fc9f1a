import type { StoredRecord } from "../store.ts";

/** Describes how the texts of single records become the text of a list. */
export interface ListSyntax {
  /** Returns the text of a record. */
  readonly item: (record: StoredRecord) => string;
  /** The text before the first record, between two, and after the last. Default: nothing. */
  readonly before?: string;
  readonly between?: string;
  readonly after?: string;
}

/**
 * Makes the text of a list from the texts of its records, in pieces of about 64 KiB. Reads a batch when a piece is requested, and
 * keeps nothing.
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
