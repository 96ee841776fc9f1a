import { HttpError } from "waymark";
import { HeaderList } from "waymark/fields";
import { rememberValues } from "waymark/internal";
import type { ByteQueue } from "../byte-queue.ts";
import type { HeadLimits } from "../head-fields.ts";
import { headTooLong, malformedMessage, targetTooLong } from "../refusals.ts";
import { type FieldSection, readFieldSection } from "./field-section.ts";
import { mayBeginRequestLine, parseRequestLine, type RequestLine, refuseLine, refuseTarget } from "./request-line.ts";

/** The head of a request, and what follows from it for its connection. */
export interface Head extends Omit<FieldSection, "minorVersion" | "length"> {
  readonly method: string;
  readonly target: string;
  readonly minorVersion: 0 | 1;
}

/** What is known of a message whose head cannot be read. */
export const noHead: Head = {
  method: "",
  target: "*",
  minorVersion: 1,
  headers: HeaderList.empty,
  contentLength: 0,
  keepsAlive: false,
  expectsContinue: false,
  asksForUpgrade: false,
  refusal: undefined,
};

/**
 * Reads the heads of the requests on one connection. Most clients send the same fields with each request: those of the last
 * one are known by their bytes, and nothing of them is parsed, checked or looked up again.
 */
export class HeadReader {
  readonly #limits: HeadLimits;
  readonly #longest: number;
  #lastBytes: Buffer | undefined;
  #lastFields: FieldSection | undefined;
  /** How much of a head that is still incomplete has been searched for its end. */
  #searched = 0;

  constructor(limits: HeadLimits) {
    this.#limits = limits;
    // One limit to read by. Of a head within it, each part is judged by its own.
    this.#longest = limits.maxHeaderSize + limits.maxTargetLength + roomForMethodAndVersion;
  }

  /**
   * Removes the next head from the front; undefined while it has not arrived whole.
   *
   * @throws HttpError when what has arrived cannot become a head
   */
  read(input: ByteQueue): Head | undefined {
    skipEmptyLines(input);
    const { bytes, start, end } = input;
    const feed = bytes.indexOf(0x0a, start);
    if (feed >= 0 && feed < end) {
      const known = this.#knownFields(bytes, feed + 1, end);
      const fieldsEnd = known === undefined ? this.#findEnd(bytes, start, end) : feed + 1 + known.length;
      if (fieldsEnd !== undefined) {
        if (fieldsEnd - start > this.#longest) throw this.#tooLong(bytes, start, end);
        const line = readRequestLine(bytes, start, feed);
        const isKnown = known !== undefined && known.minorVersion === line.minorVersion;
        const fields = isKnown ? known : this.#readFields(bytes, feed + 1, fieldsEnd, line.minorVersion);
        input.skip(fieldsEnd - start);
        this.#searched = 0;
        return toHead(line, fields, this.#limits);
      }
    }
    this.#refuseEarly(bytes, start, end);
    this.#searched = end - start;
    return undefined;
  }

  /** The fields of the last head, if the same bytes are here. */
  #knownFields(bytes: Buffer, start: number, end: number): FieldSection | undefined {
    const last = this.#lastBytes;
    if (last === undefined || end - start < last.length) return undefined;
    if (bytes.compare(last, 0, last.length, start, start + last.length) !== 0) return undefined;
    const fields = this.#lastFields;
    if (fields !== undefined) rememberValues(fields.headers);
    return fields;
  }

  #findEnd(bytes: Buffer, start: number, end: number): number | undefined {
    const found = bytes.indexOf("\r\n\r\n", start + Math.max(0, this.#searched - 3), "latin1");
    return found < 0 || found + 4 > end ? undefined : found + 4;
  }

  #readFields(bytes: Buffer, start: number, end: number, minorVersion: RequestLine["minorVersion"]): FieldSection {
    const fields = readFieldSection(bytes.toString("latin1", start, end), minorVersion, this.#limits);
    if (fields.length <= longestKnown) {
      this.#lastBytes = Buffer.from(bytes.subarray(start, end));
      this.#lastFields = fields;
    }
    return fields;
  }

  /** Refuses what need not be waited for: it is too long, or no head begins like it. */
  #refuseEarly(bytes: Buffer, start: number, end: number): void {
    if (!mayBeginRequestLine(bytes, start, end)) throw malformedMessage("The bytes are not a request.");
    if (end - start > this.#longest) throw this.#tooLong(bytes, start, end);
    const first = start + this.#searched;
    const lineEnd = bytes.indexOf(0x0a, start);
    if (lineEnd >= first && lineEnd < end) readRequestLine(bytes, start, lineEnd);
    for (let feed = bytes.indexOf(0x0a, first); feed >= 0 && feed < end; ) {
      if (bytes[feed - 1] !== 0x0d) throw malformedMessage("A line ends without a carriage return.");
      feed = bytes.indexOf(0x0a, feed + 1);
    }
  }

  #tooLong(bytes: Buffer, start: number, end: number): HttpError {
    const feed = bytes.indexOf(0x0a, start);
    const { maxTargetLength, maxHeaderSize } = this.#limits;
    const isTarget = feed < 0 || feed >= end || feed - start > maxTargetLength + roomForMethodAndVersion;
    return new HttpError((isTarget ? targetTooLong(maxTargetLength) : headTooLong(maxHeaderSize)).response);
  }
}

/** Parses the request line that begins at `start` and ends with the line feed. */
function readRequestLine(bytes: Buffer, start: number, feed: number): RequestLine {
  if (bytes[feed - 1] !== 0x0d) throw malformedMessage("A line ends without a carriage return.");
  return parseRequestLine(bytes.toString("latin1", start, feed - 1));
}

/** Bytes of the request line beside its target: the longest method, spaces, version and line end; and the empty line. */
const roomForMethodAndVersion = 64;

/** Fields longer than this are not kept for the next request, so that an idle connection does not hold much. */
const longestKnown = 4_096;

/** Skips empty lines before a request (RFC 9112 §2.2). */
export function skipEmptyLines(input: ByteQueue): void {
  const { bytes, start, end } = input;
  let at = start;
  while (at + 1 < end && bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 2;
  if (at > start) input.skip(at - start);
}

function toHead(line: RequestLine, fields: FieldSection, limits: HeadLimits): Head {
  const { method, target, minorVersion } = line;
  const refusal = refuseLine(line) ?? fields.refusal ?? refuseTarget(method, target, limits);
  const contentLength = refusal?.closes === true ? 0 : fields.contentLength;
  return { ...fields, method, target, minorVersion: minorVersion ?? 1, contentLength, refusal };
}
