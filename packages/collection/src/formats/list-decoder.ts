import { ContentError, type ContentReader, type ValidationIssue } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { GatheredBytes } from "./gathered-bytes.ts";

/**
 * Reads content with many records while it arrives. The Content-Type of a request chooses its decoder. The counterpart of a
 * representation's `list`.
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
   * Yields the records, in constant memory. Throws what the pieces throw, and ContentError when it is unclear where a record ends.
   */
  decode(pieces: AsyncIterable<Uint8Array>, reading: ListReading): AsyncIterable<ListedValue>;
}

/** How to read a list. */
export interface ListReading {
  /** The Content-Type. */
  readonly mediaType: MediaType;
  /** Whether to pass unknown members on, so that the schema can leave them out. */
  readonly lenient: boolean;
}

/** The value of one record, before validation; or why it cannot be read. */
export type ListedValue =
  | { readonly line: number; readonly value: unknown; readonly issues?: undefined }
  | { readonly line: number; readonly value?: undefined; readonly issues: readonly ValidationIssue[] };

/** The most bytes of one record in a list: the default limit of a single record. */
export const longestRecord = 1_048_576;

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
  readonly #held = new GatheredBytes();
  #number = 1;
  /** The length of the current line in bytes, also when it is too long to keep. */
  #length = 0;

  /** @param longest in bytes */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the lines that end in the piece. */
  *add(piece: Uint8Array): Generator<Line, void, undefined> {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
      yield this.#release(piece.subarray(start, end), true);
      start = end + 1;
    }
    const rest = piece.subarray(start);
    this.#length += rest.length;
    if (this.#mayFit) this.#held.add(rest);
    else this.#held.clear();
  }

  /** Returns the last line, if it has no end. */
  *end(): Generator<Line, void, undefined> {
    if (this.#length > 0) yield this.#release(new Uint8Array(0), false);
  }

  get #mayFit(): boolean {
    return this.#length <= this.#longest + carriageReturnLength;
  }

  #release(last: Uint8Array, isEnded: boolean): Line {
    this.#length += last.length;
    if (!this.#mayFit) this.#held.clear();
    const whole = this.#mayFit ? this.#held.take(last) : last;
    const contentLength =
      isEnded && whole.at(-1) === carriageReturn ? this.#length - carriageReturnLength : this.#length;
    this.#length = 0;
    const bytes = contentLength > this.#longest ? undefined : whole.subarray(0, contentLength);
    return { number: this.#number++, bytes };
  }
}

/** Bounds the blank lines of content: they are cheap to send, especially compressed, and each costs work. */
export class BlankLines {
  #count = 0;

  /** @throws ContentError when this line is the 1,000,001st blank one */
  count(line: number): void {
    if (++this.#count <= mostBlankLines) return;
    const most = mostBlankLines.toLocaleString("en");
    throw new ContentError(`The content has more than ${most} blank lines`, { line, column: 1 });
  }
}

const mostBlankLines = 1_000_000;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const carriageReturnLength = 1;
