import { ContentError } from "waymark/content";
import { GatheredBytes } from "../gathered-bytes.ts";
import type { Line } from "../lines.ts";
import { type ListDecoder, longestRecord } from "../list-decoder.ts";
import { readListedJson } from "./json.ts";

/**
 * Reads `application/json` that is an array, and each value in it as strictly as `jsonDecoder`. The `line` of a record is its
 * position in the array, from 1. A malformed value, or one longer than 1 MiB, concerns that record only; a malformed array is
 * refused as a whole.
 */
export const jsonArrayDecoder: ListDecoder = {
  mediaTypes: ["application/json"],
  place: "record",
  arrays: true,
  charsets: ["utf-8"],
  async *decode(pieces, { mediaType }) {
    const values = new ArrayCutter();
    for await (const piece of pieces) {
      for (const value of values.add(piece)) yield readListedJson(fromItsBeginning(value), mediaType, faultInRecord);
    }
    values.end();
  },
};

/** Positions are counted from the beginning of a value: what stands before it may be long, and is no longer in memory. */
const faultInRecord = ({ message, line }: ContentError): string =>
  line === undefined ? message : `${message} of the record`;

/** Returns the value without the white space before it. */
function fromItsBeginning({ number, bytes }: Line): Line {
  const start = bytes?.findIndex((byte) => !isSpace(byte)) ?? -1;
  return { number, bytes: start > 0 ? bytes?.subarray(start) : bytes };
}

/** Cuts an array that arrives in pieces into the texts of its values, without looking at the values themselves. */
class ArrayCutter {
  readonly #held = new GatheredBytes(longestRecord);
  #place: "before" | "within" | "after" = "before";
  #number = 0;
  /** Whether the current text is only white space so far. */
  #isBlank = true;
  /** The number of open brackets and braces within the value. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** Returns the values that end in the piece. */
  *add(piece: Uint8Array): Generator<Line, void, undefined> {
    let start = 0;
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i] as number; // i is within the piece
      if (this.#place !== "within") {
        this.#passOutside(byte);
        start = i + 1;
        continue;
      }
      const isEnd = this.#isEnd(byte);
      if (!isEnd) {
        this.#isBlank &&= isSpace(byte);
        continue;
      }
      if (byte === closeBracket) this.#place = "after";
      if (byte === comma || this.#number > 0 || !this.#isBlank) yield this.#release(piece.subarray(start, i));
      start = i + 1;
    }
    if (this.#place === "within") this.#held.add(piece.subarray(start));
  }

  /** @throws ContentError when the array has not ended */
  end(): void {
    if (this.#place === "after") return;
    if (this.#place === "before") throw new ContentError("The content is not a JSON array");
    const place = this.#isBlank ? `before record ${this.#number + 1}` : `in record ${this.#number + 1}`;
    throw new ContentError(`The JSON array is not closed: the content ends ${place}`);
  }

  #passOutside(byte: number): void {
    if (isSpace(byte)) return;
    if (this.#place === "after") throw new ContentError("The content continues after the end of the JSON array");
    if (byte !== openBracket) throw new ContentError("The content is not a JSON array");
    this.#place = "within";
  }

  /** Returns whether the byte ends a value: a comma or the array's bracket, outside of strings and nested values. */
  #isEnd(byte: number): boolean {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quotationMark) this.#inString = false;
      return false;
    }
    switch (byte) {
      case quotationMark:
        this.#inString = true;
        return false;
      case openBracket:
      case openBrace:
        this.#depth++;
        return false;
      case closeBracket:
      case closeBrace:
        if (this.#depth === 0) return byte === closeBracket;
        this.#depth--;
        return false;
      default:
        return byte === comma && this.#depth === 0;
    }
  }

  #release(last: Uint8Array): Line {
    this.#isBlank = true;
    return { number: ++this.#number, bytes: this.#held.take(last) };
  }
}

/** Whether a byte is white space of JSON. */
export const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const quotationMark = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
