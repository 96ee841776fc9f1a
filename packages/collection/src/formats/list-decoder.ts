import { ContentError, type ContentReader, type ValidationIssue } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { GatheredBytes } from "../bulk/gathered-bytes.ts";

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
   * The records, in constant memory. Throws ContentError when the content is not of the media type from some place on,
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
}

/**
 * Cuts content that comes in pieces into lines, each as soon as it is complete; they end with LF or CRLF. Of one that is too long
 * no more is kept than it may have.
 *
 * Nothing in it is asynchronous: a promise for each line would take most of the time that short ones take.
 */
export class LineCutter {
  readonly #longest: number;
  readonly #held = new GatheredBytes();
  #number = 1;
  /** Of the line so far, in bytes, whether they are held or not. */
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

/** Counts the blank lines of content: they are cheap to send, above all in a content coding, and each is work. */
export class BlankLines {
  #count = 0;

  /** @throws ContentError when there are more than 1,000,000 of them, with the line on which the next one is */
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
