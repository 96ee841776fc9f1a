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
