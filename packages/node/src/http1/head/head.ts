import { HttpError } from "waymark";
import { HeaderList } from "waymark/fields";
import { headerLists } from "waymark/internal";
import type { ByteQueue } from "../../content/byte-queue.ts";
import type { Peer } from "../../exchange/served-exchange.ts";
import type { AnswerMemory, AnswerNote, RequestHead } from "../../memory/answer-memory.ts";
import { RepeatedAnswer } from "../../memory/kept-answer.ts";
import { type HeadLimits, refuseTarget } from "../../messages/head-fields.ts";
import { headTooLong, malformedMessage, targetTooLong } from "../../refusals.ts";
import { type FieldSection, readFieldSection } from "./field-section.ts";
import { hashOf, type KnownFields, SharedFields, sameBytes } from "./known-fields.ts";
import { mayBeginRequestLine, parseRequestLine, type RequestLine, refuseLine } from "./request-line.ts";
import type { HeadText } from "./response-head.ts";

/** The head of a request, and what follows from it for its connection. */
export interface Head extends Omit<FieldSection, "minorVersion" | "length" | "mayRepeat" | "asked"> {
  readonly method: string;
  readonly target: string;
  readonly minorVersion: 0 | 1;
  /** Notes the answer, where it may be kept in memory. */
  readonly note: AnswerNote<HeadText> | undefined;
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
  note: undefined,
};

/**
 * Reads the heads of the requests on one connection. Most clients send the same fields with each request: those of the last
 * one are known by their bytes, and nothing of them is parsed, checked or looked up again.
 */
export class HeadReader {
  readonly #limits: HeadLimits;
  readonly #longest: number;
  readonly #shared: SharedFields;
  readonly #peer: Peer | undefined;
  #last: KnownFields | undefined;
  /** The last head to which an answer was looked for. */
  #asked: RequestHead | undefined;
  /** How much of a head that is still incomplete has been searched for its end. */
  #searched = 0;

  /**
   * @param shared the fields that heads on any connection have had
   * @param peer the other end, for a memory. Default: no answer comes from memory
   */
  constructor(limits: HeadLimits, shared: SharedFields = new SharedFields(), peer?: Peer) {
    this.#limits = limits;
    this.#shared = shared;
    this.#peer = peer;
    // One limit to read by. Of a head within it, each part is judged by its own.
    this.#longest = limits.maxHeaderSize + limits.maxTargetLength + roomForMethodAndVersion;
  }

  /**
   * Removes the next head from the front; undefined while it has not arrived whole.
   *
   * @param memory where an answer to the head may be kept
   * @param isPrompt whether the input had begun to arrive before this round of reading (`AskedSources`)
   * @returns the head, or the answer to it that is kept
   * @throws HttpError when what has arrived cannot become a head
   */
  read(input: ByteQueue): Head | undefined;
  read(
    input: ByteQueue,
    memory: AnswerMemory<HeadText> | undefined,
    isPrompt: boolean,
  ): Head | RepeatedAnswer<HeadText> | undefined;
  read(
    input: ByteQueue,
    memory?: AnswerMemory<HeadText>,
    isPrompt = false,
  ): Head | RepeatedAnswer<HeadText> | undefined {
    const { start: first } = input;
    skipEmptyLines(input);
    const { bytes, start, end } = input;
    const feed = bytes.indexOf(0x0a, start);
    if (feed >= 0 && feed < end) {
      const last = this.#lastFields(bytes, feed + 1, end);
      const fieldsEnd = last === undefined ? this.#findEnd(bytes, start, end) : feed + 1 + last.bytes.length;
      if (fieldsEnd !== undefined) {
        if (fieldsEnd - start > this.#longest) throw this.#tooLong(bytes, start, end);
        const known = last?.section ?? this.#sharedFields(bytes, feed + 1, fieldsEnd);
        const text = requestLine(bytes, start, feed);
        const round = isPrompt && start === first && memory !== undefined ? memory.sources.round : -1;
        const early = known && this.#find(known, text, memory, round);
        const head =
          early instanceof RepeatedAnswer
            ? early
            : this.#readHead(text, bytes.subarray(feed + 1, fieldsEnd), known, early, memory, round);
        input.skip(fieldsEnd - start);
        this.#searched = 0;
        return head;
      }
    }
    this.#refuseEarly(bytes, start, end);
    this.#searched = end - start;
    return undefined;
  }

  #readHead(
    text: string,
    bytes: Buffer,
    known: FieldSection | undefined,
    early: AnswerNote<HeadText> | undefined,
    memory: AnswerMemory<HeadText> | undefined,
    round: number,
  ): Head | RepeatedAnswer<HeadText> {
    const line = parseRequestLine(text);
    const { minorVersion } = line;
    if (known !== undefined && known.minorVersion === minorVersion) return toHead(line, known, this.#limits, early);
    const fields = readFieldSection(bytes.toString("latin1"), minorVersion, this.#limits);
    if (known === undefined) this.#shared.addLines(bytes, fields);
    this.#last = this.#shared.add(hashOf(bytes, 0, bytes.length), bytes, fields);
    const found = this.#find(fields, text, memory, round);
    return found instanceof RepeatedAnswer ? found : toHead(line, fields, this.#limits, found);
  }

  /** Looks for the answer to a head; returns the answer, or what notes it. */
  #find(
    { mayRepeat, asked: fields }: FieldSection,
    line: string,
    memory: AnswerMemory<HeadText> | undefined,
    round: number,
  ) {
    const peer = this.#peer;
    if (!mayRepeat || memory === undefined || peer === undefined || !isRead(line)) return undefined;
    // Of the same head again it is the same text, which is hashed already.
    let asked = this.#asked;
    if (asked?.line !== line || asked.fields !== fields) asked = this.#asked = { line, fields, key: undefined };
    return memory.find(asked, round, peer);
  }

  /** The fields of the last head, if the same bytes are here. */
  #lastFields(bytes: Buffer, start: number, end: number): KnownFields | undefined {
    const last = this.#last;
    if (last === undefined || end - start < last.bytes.length) return undefined;
    if (!sameBytes(last.bytes, bytes, start, start + last.bytes.length)) return undefined;
    headerLists.rememberValues(last.section.headers);
    return last;
  }

  #sharedFields(bytes: Buffer, start: number, end: number): FieldSection | undefined {
    const hash = hashOf(bytes, start, end);
    this.#last = this.#shared.find(hash, bytes, start, end);
    if (this.#last !== undefined) return this.#last.section;
    const like = this.#shared.findLike(bytes, start, end, this.#limits);
    this.#last = like && this.#shared.add(hash, bytes.subarray(start, end), like);
    return like;
  }

  #findEnd(bytes: Buffer, start: number, end: number): number | undefined {
    const found = bytes.indexOf("\r\n\r\n", start + Math.max(0, this.#searched - 3), "latin1");
    return found < 0 || found + 4 > end ? undefined : found + 4;
  }

  /** Refuses what need not be waited for: it is too long, or no head begins like it. */
  #refuseEarly(bytes: Buffer, start: number, end: number): void {
    if (!mayBeginRequestLine(bytes, start, end)) throw malformedMessage("The bytes are not a request.");
    if (end - start > this.#longest) throw this.#tooLong(bytes, start, end);
    const first = start + this.#searched;
    const lineEnd = bytes.indexOf(0x0a, start);
    if (lineEnd >= first && lineEnd < end) parseRequestLine(requestLine(bytes, start, lineEnd));
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

/** Returns the request line that begins at `start` and ends with the line feed, without its end. */
function requestLine(bytes: Buffer, start: number, feed: number): string {
  if (bytes[feed - 1] !== 0x0d) throw malformedMessage("A line ends without a carriage return.");
  return bytes.toString("latin1", start, feed - 1);
}

/** Bytes of the request line beside its target: the longest method, spaces, version and line end; and the empty line. */
const roomForMethodAndVersion = 64;

/** Skips empty lines before a request (RFC 9112 §2.2). */
function skipEmptyLines(input: ByteQueue): void {
  const { bytes, start, end } = input;
  let at = start;
  while (at + 1 < end && bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 2;
  if (at > start) input.skip(at - start);
}

const isRead = (line: string): boolean => line.startsWith("GET ") || line.startsWith("HEAD ");

function toHead(
  line: RequestLine,
  fields: FieldSection,
  limits: HeadLimits,
  note: AnswerNote<HeadText> | undefined,
): Head {
  const { method, target, minorVersion } = line;
  const refusal = refuseLine(line) ?? fields.refusal ?? refuseTarget(method, target, limits);
  const contentLength = refusal?.closes === true ? 0 : fields.contentLength;
  return { ...fields, method, target, minorVersion: minorVersion ?? 1, contentLength, refusal, note };
}
