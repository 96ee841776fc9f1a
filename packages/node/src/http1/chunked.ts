import type { HttpError } from "waymark";
import { syntax } from "waymark/internal";
import type { ByteQueue } from "../content/byte-queue.ts";
import { isFramingField } from "../messages/head-fields.ts";
import { malformedMessage } from "../refusals.ts";
import { parseFieldLines } from "./head/field-section.ts";

/** The last chunk, without trailers (RFC 9112 §7.1). */
export const lastChunk = "0\r\n\r\n";

/** What stands before the bytes of a chunk; a line end stands behind them. */
export const chunkStart = (size: number): string => `${size.toString(16)}\r\n`;

/** Decodes the chunked transfer coding (RFC 9112 §7.1). Extensions and trailers are checked, and ignored. */
export class ChunkedDecoder {
  #state: "size" | "data" | "data end" | "trailers" | "done" = "size";
  #left = 0;
  /** How many bytes there may still be that are not content: extensions of all chunks, and trailers. */
  #room: number;

  /** @param room the bytes that all extensions and trailers together may have */
  constructor(room: number) {
    this.#room = room;
  }

  /** Whether all content has been taken, and the next message begins. */
  get isDone(): boolean {
    return this.#state === "done";
  }

  /**
   * Removes from the front what belongs to the message, and returns the content in it; empty when more must arrive first.
   *
   * @throws HttpError when the content is malformed
   */
  decode(input: ByteQueue): Buffer {
    // The small chunks of one segment become one piece: each would take more memory than its bytes.
    const pieces: Buffer[] = [];
    while (input.length > 0 && this.#state !== "done") {
      if (this.#state === "data") pieces.push(this.#takeData(input));
      else if (!this.#takeFraming(input)) break;
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  #takeData(input: ByteQueue): Buffer {
    const piece = input.take(this.#left);
    this.#left -= piece.length;
    if (this.#left === 0) this.#state = "data end";
    return piece;
  }

  /** Takes a line of what is not content; false while it has not arrived whole. */
  #takeFraming(input: ByteQueue): boolean {
    if (this.#state === "data end" && !mayEndLine(input))
      throw malformedMessage("A chunk is not followed by a line end.");
    const line = input.takeLine();
    if (line === undefined) {
      if (input.length > this.#room + roomForSize) throw tooMuch();
      return false;
    }
    if (!line.endsWith("\r\n")) throw malformedMessage("A line of the chunked content ends without a carriage return.");
    this.#takeLine(line);
    return true;
  }

  #takeLine(line: string): void {
    if (this.#state === "size") {
      this.#left = this.#parseSize(line.slice(0, -2));
      this.#state = this.#left === 0 ? "trailers" : "data";
    } else if (this.#state === "data end") {
      this.#state = "size";
    } else if (line === "\r\n") {
      this.#state = "done";
    } else {
      this.#use(line.length);
      const [name = ""] = parseFieldLines(line, 0, line.length);
      if (isFramingField(name.toLowerCase())) throw malformedMessage(`${name} cannot be a trailer.`);
    }
  }

  #parseSize(line: string): number {
    const digits = /^[0-9A-Fa-f]{1,16}/.exec(line)?.[0] ?? "";
    const size = Number.parseInt(digits, 16);
    if (!Number.isSafeInteger(size)) throw malformedMessage("A chunk has no size, or one that is too large.");
    if (digits.length < line.length) {
      this.#use(line.length - digits.length);
      if (!extensions.test(line.slice(digits.length))) throw malformedMessage("A chunk extension is malformed.");
    }
    return size;
  }

  #use(bytes: number): void {
    this.#room -= bytes;
    if (this.#room < 0) throw tooMuch();
  }
}

/** Bytes of the digits of a chunk's size, and its line end. */
const roomForSize = 18;

// RFC 9112 §7.1.1, without blanks around "=" and ";". No alternatives begin with the same character: it takes linear time.
const extensions = new RegExp(`^(?:;${syntax.tokenText}(?:=(?:${syntax.tokenText}|${syntax.quotedText}))?)+$`);

function mayEndLine(input: ByteQueue): boolean {
  const { bytes, start, length } = input;
  return bytes[start] === 0x0d && (length === 1 || bytes[start + 1] === 0x0a);
}

const tooMuch = (): HttpError => malformedMessage("The chunk extensions and trailers are too long.");
