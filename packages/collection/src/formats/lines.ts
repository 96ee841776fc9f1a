import { ContentError } from "waymark/content";
import { wording } from "waymark/internal";
import { GatheredBytes } from "./gathered-bytes.ts";

/** A line of content, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Undefined when the line is too long. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Cuts content that arrives in pieces into lines that end with LF or CRLF, each as soon as it is complete. Keeps no more than the
 * limit of a line that is too long.
 *
 * It is synchronous, because a promise for each short line would take most of the time.
 */
export class LineCutter {
  readonly #longest: number;
  /** The current line, and the carriage return at its end. */
  readonly #held: GatheredBytes;
  #number = 1;

  /** @param longest in bytes */
  constructor(longest: number) {
    this.#longest = longest;
    this.#held = new GatheredBytes(longest + 1);
  }

  /** Returns the lines that end in the piece. */
  *add(piece: Uint8Array): Generator<Line, void, undefined> {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
      yield this.#release(piece.subarray(start, end), true);
      start = end + 1;
    }
    this.#held.add(piece.subarray(start));
  }

  /** Returns the last line, if it has no end. */
  *end(): Generator<Line, void, undefined> {
    if (this.#held.length > 0) yield this.#release(new Uint8Array(0), false);
  }

  #release(last: Uint8Array, isEnded: boolean): Line {
    const whole = this.#held.take(last);
    const bytes = isEnded && whole?.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    return { number: this.#number++, bytes: bytes && bytes.length <= this.#longest ? bytes : undefined };
  }
}

/** Bounds the blank lines of content: they are cheap to send, especially compressed, and each costs work. */
export class BlankLines {
  #count = 0;

  /** @throws ContentError when this line is the 1,000,001st blank one */
  count(line: number): void {
    if (++this.#count <= mostBlankLines) return;
    const most = wording.withCommas(mostBlankLines);
    throw new ContentError(`The content has more than ${most} blank lines`, { line, column: 1 });
  }
}

const mostBlankLines = 1_000_000;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
