import type { Awaitable } from "waymark";
import type { ListSyntax } from "../representation.ts";
import { recordsAtOnce, type TurnShare } from "../shares/turn-share.ts";
import type { StoredRecord } from "../stores/contract/store.ts";

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
  { item, before = "", between = "", after = "", empty = before + after }: ListSyntax,
): AsyncGenerator<string, void, undefined> {
  let piece = before;
  let isEmpty = true;
  for await (const batch of batches) {
    for (const record of batch) {
      piece += isEmpty ? item(record) : between + item(record);
      isEmpty = false;
      if (piece.length >= pieceSize) {
        yield piece;
        piece = "";
      }
    }
  }
  piece = isEmpty ? empty : piece + after;
  if (piece !== "") yield piece;
}

const pieceSize = 65_536;

/**
 * Makes the text of a list whose records are all in memory: that of `listText` in one piece. A page of usual size is made at once,
 * without a promise.
 */
export function wholeListText(
  records: readonly StoredRecord[],
  { item, before = "", between = "", after = "", empty = before + after }: ListSyntax,
  share: TurnShare,
): Awaitable<string> {
  const textFrom = (start: number, made: string): Awaitable<string> => {
    let text = made;
    for (let i = start; i < records.length; i++) {
      if (i > start && i % recordsOfPiece === 0 && share.isUsed) return share.next().then(() => textFrom(i, text));
      text += i === 0 ? item(records[i] as StoredRecord) : between + item(records[i] as StoredRecord); // within the records
    }
    return text + after;
  };
  return records.length === 0 ? empty : textFrom(0, before);
}

const recordsOfPiece = 2 * recordsAtOnce;
