import type { ContentReader, MediaType, ValidationIssue } from "waymark";

/**
 * Reads content that is many records, one after another, as it comes; which one reads a request is chosen by its
 * Content-Type. The counterpart of a representation's `list`.
 *
 * ```ts
 * const names: ListDecoder = {
 *   mediaTypes: ["text/x-names"],
 *   async *decode(pieces) {
 *     let line = 1;
 *     for await (const name of linesOf(pieces)) yield { line: line++, value: { name } };
 *   },
 * };
 * ```
 */
export interface ListDecoder extends ContentReader {
  /**
   * The records, in constant memory. Throws MalformedContent when the content is not of the media type from some place on,
   * so that nothing in it can be relied on; and what the pieces throw.
   */
  decode(pieces: AsyncIterable<Uint8Array>, reading: ListReading): AsyncIterable<ListedValue>;
}

/** How a list is to be read. */
export interface ListReading {
  /** What the Content-Type says. */
  readonly mediaType: MediaType;
  /** Whether members that are not known are to be let through, for the schema to leave out. */
  readonly lenient: boolean;
}

/** What stands for one record of a list, before any schema has seen it; or why that cannot be told. */
export type ListedValue =
  | { readonly line: number; readonly value: unknown; readonly issues?: undefined }
  | { readonly line: number; readonly value?: undefined; readonly issues: readonly ValidationIssue[] };

/** The most bytes that the text of one record may have in a list, as many as a record by itself by default. */
export const longestRecord = 1_048_576;

/** A line of content, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined when there are more of them than a line may have. */
  readonly bytes: Uint8Array | undefined;
  /** What ended it; nothing in a last line that is not ended. */
  readonly end: "\n" | "\r\n" | "";
}

/**
 * The lines of content that comes in pieces, each as soon as it is complete. Of one that is too long no more is kept than
 * it may have.
 *
 * @param longest in bytes
 */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<Line, void, undefined> {
  let number = 1;
  let held: Uint8Array[] = [];
  let length = 0;
  const hold = (part: Uint8Array): void => {
    length += part.length;
    if (length <= longest + carriageReturnLength) held.push(part);
    else held = [];
  };
  const release = (isEnded: boolean): Line => {
    const whole = held.length === 1 ? (held[0] as Uint8Array) : Buffer.concat(held);
    const hasReturn = isEnded && whole.at(-1) === carriageReturn;
    const contentLength = hasReturn ? length - carriageReturnLength : length;
    const bytes = contentLength > longest ? undefined : whole.subarray(0, contentLength);
    held = [];
    length = 0;
    return { number: number++, bytes, end: isEnded ? (hasReturn ? "\r\n" : "\n") : "" };
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
      hold(piece.subarray(start, end));
      yield release(true);
      start = end + 1;
    }
    if (start < piece.length) hold(piece.subarray(start));
  }
  if (length > 0) yield release(false);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const carriageReturnLength = 1;
