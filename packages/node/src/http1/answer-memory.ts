import type { AnswerSource, MatchedRoute } from "waymark";
import type { AnswerRecording, AppRepetition } from "waymark/internal";
import { currentTurn } from "../served-exchange.ts";
import { type AskedSource, AskedSources } from "./asked-sources.ts";
import { hashBytes, type KnownFields, SeenOnce, SharedFields } from "./known-fields.ts";

/**
 * Keeps answers whose handlers say that they depend on nothing but the head of the request and on sources that have a revision.
 * The same head is answered again from memory while the revisions stand, with a new date and whatever else the app renews. What
 * was acknowledged before a request began to arrive is in its answer (`AskedSources`).
 *
 * An answer is kept when its head comes for the second time, and after a change when it comes twice again; fewer are, while those
 * that are kept are hardly used. There are two generations: an answer that is used moves to the younger one, and when that is full
 * the elder one goes.
 */
export class AnswerMemory {
  readonly fields: SharedFields = new SharedFields();
  readonly sources: AskedSources = new AskedSources();
  readonly #repetition: AppRepetition;
  readonly #most: number;
  readonly #seen = new SeenOnce(8_192);
  #younger = new Map<number, KeptAnswer>();
  #elder = new Map<number, KeptAnswer>();
  /** Bytes of the younger generation. */
  #size = 0;
  /** What the uses of answers have gained beyond what it took to keep them, in uses. */
  #gain = mostGain;
  #passedOver = 0;

  /** @param most bytes of all answers */
  constructor(repetition: AppRepetition, most: number) {
    this.#repetition = repetition;
    this.#most = most;
  }

  /**
   * Looks for the answer to a head with these fields and the request line at this place.
   *
   * @param isPrompt whether it began to arrive before this round of reading (`AskedSources`)
   * @returns the answer, which may be sent; or what notes the answer that the app makes; or undefined
   */
  find(
    fields: KnownFields,
    bytes: Buffer,
    start: number,
    end: number,
    isPrompt: boolean,
  ): KeptAnswer | AnswerNote | undefined {
    const hash = hashBytes(bytes, start, end, fields.number);
    const kept = this.#younger.get(hash) ?? this.#fromElder(hash);
    if (kept?.isFor(fields, bytes, start, end) !== true) {
      return this.#seen.add(hash) && this.#isWorthIt()
        ? this.#note(hash, fields, bytes.subarray(start, end))
        : undefined;
    }
    if (!kept.stands(isPrompt)) return undefined;
    if (kept.isAwaited) return this.#isWorthIt() ? this.#note(hash, fields, kept.line) : undefined;
    const { mayRepeat } = this.#repetition;
    if (!kept.hasText || (mayRepeat !== undefined && !mayRepeat(currentTurn()))) return undefined;
    if (this.#gain < mostGain) this.#gain++;
    return kept;
  }

  /** Returns whether to keep another answer: to do so takes several times what using it saves. */
  #isWorthIt(): boolean {
    if (this.#gain < usesWorthKeeping && ++this.#passedOver % leastKept !== 0) return false;
    this.#gain = Math.max(0, this.#gain - usesWorthKeeping);
    return true;
  }

  #fromElder(hash: number): KeptAnswer | undefined {
    const kept = this.#elder.get(hash);
    if (kept === undefined) return undefined;
    this.#elder.delete(hash);
    this.#keep(hash, kept);
    return kept;
  }

  #note(hash: number, fields: KnownFields, line: Buffer): AnswerNote {
    const head = { fields, line: Buffer.from(line) };
    return new AnswerNote(head, this.sources, this.#repetition, (kept) => this.#keep(hash, kept));
  }

  #keep(hash: number, kept: KeptAnswer): void {
    this.#size += kept.size - (this.#younger.get(hash)?.size ?? 0);
    this.#younger.set(hash, kept);
    if (this.#size <= this.#most / 2) return;
    this.#elder = this.#younger;
    this.#younger = new Map();
    this.#size = 0;
  }
}

// With 100,000 records that are read at random, keeping each answer that comes again soon cost 7 % of the requests.
const usesWorthKeeping = 8;
const mostGain = 8_000;
/** One of so many answers is kept also while it is not worth it, to see when it is. */
const leastKept = 32;

/** The bytes of a head. */
interface HeadBytes {
  readonly fields: KnownFields;
  /** The request line, without its line feed. */
  readonly line: Buffer;
}

/** An answer, as the app has made it. */
interface MadeAnswer {
  readonly method: string;
  readonly route: MatchedRoute | undefined;
  readonly status: number;
  /** The head without what the connection adds, each character a byte. */
  readonly head: string;
  /** Undefined where it comes in pieces. */
  readonly content: null | string | Uint8Array | undefined;
}

/** The texts of an answer, each of their characters a byte. What is renewed stands between the first two. */
interface AnswerText {
  readonly before: string;
  readonly renew: (() => string) | undefined;
  readonly after: string;
  readonly content: string;
}

/** Notes what an answer depends on while the app makes it, and then the answer. */
export class AnswerNote implements AnswerRecording {
  readonly #head: HeadBytes;
  readonly #asked: AskedSources;
  readonly #repetition: AppRepetition;
  readonly #keep: (kept: KeptAnswer) => void;
  readonly #sources: AskedSource[] = [];
  readonly #revisions: number[] = [];
  #isAllowed = false;
  #isRefused = false;
  /** Whether a source could not say its revision. */
  #isUnknown = false;

  constructor(head: HeadBytes, asked: AskedSources, repetition: AppRepetition, keep: (kept: KeptAnswer) => void) {
    this.#head = head;
    this.#asked = asked;
    this.#repetition = repetition;
    this.#keep = keep;
  }

  allow(): void {
    this.#isAllowed = true;
  }

  refuse(): void {
    this.#isRefused = true;
  }

  dependOn(source: AnswerSource): void {
    const asked = this.#asked.of(source);
    // The first revision counts: what is read of the source comes after it.
    if (this.#sources.includes(asked)) return;
    const revision = source.revision();
    if (revision === undefined) this.#isUnknown = true;
    else {
      this.#sources.push(asked);
      this.#revisions.push(revision);
    }
  }

  /** Keeps the answer, or that there is none to keep before the next change. */
  end(answer: MadeAnswer): void {
    if (this.#isUnknown) return;
    const { method, route, status } = answer;
    const mayRepeat = this.#isAllowed && !this.#isRefused && this.#repetition.isRepeatable(route);
    const isRead = (method === "GET" || method === "HEAD") && (status === 200 || status === 304);
    const text = mayRepeat && isRead ? toText(answer, this.#repetition) : undefined;
    this.#keep(new KeptAnswer(this.#head, text, this.#sources, this.#revisions));
  }
}

/** Returns the texts of an answer; undefined where it cannot be sent again. */
function toText({ head, content }: MadeAnswer, { renewed }: AppRepetition): AnswerText | undefined {
  if (content === undefined || (content?.length ?? 0) > mostContent || /^set-cookie:/im.test(head)) return undefined;
  const text = content === null ? "" : flat(Buffer.from(content));
  if (text.length > mostContent) return undefined;
  if (renewed === undefined) return { before: flat(head), renew: undefined, after: "", content: text };
  const [before, rest = "", ...more] = head.split(`\r\n${renewed.name}: `);
  const end = rest.indexOf("\r\n");
  if (end < 0 || more.length > 0) return undefined;
  return {
    before: flat(`${before}\r\n${renewed.name}: `),
    renew: renewed.value,
    after: flat(rest.slice(end)),
    content: text,
  };
}

/** Makes a text that is one piece of memory: one that is put together of many is joined each time that it is sent. */
const flat = (text: string | Buffer): string =>
  (typeof text === "string" ? Buffer.from(text, "latin1") : text).toString("latin1");

/** Bytes of content: a page of twenty records is half as long. */
const mostContent = 16_384;

/** An answer that is kept; or that the answer to a head is not kept before the next change. */
export class KeptAnswer {
  readonly line: Buffer;
  /** Bytes, roughly. */
  readonly size: number;
  readonly #fields: KnownFields;
  readonly #sources: readonly AskedSource[];
  readonly #revisions: number[];
  #text: AnswerText | undefined;
  /** Whether a source has changed, so that the answer is to be kept when its head comes again. */
  isAwaited = false;

  constructor(
    { fields, line }: HeadBytes,
    text: AnswerText | undefined,
    sources: readonly AskedSource[],
    revisions: number[],
  ) {
    this.line = line;
    this.#fields = fields;
    this.#text = text;
    this.#sources = sources;
    this.#revisions = revisions;
    const length = text === undefined ? 0 : text.before.length + text.after.length + text.content.length;
    this.size = sizeOfObjects + line.length + length;
  }

  isFor(fields: KnownFields, bytes: Buffer, start: number, end: number): boolean {
    const { line } = this;
    if (fields !== this.#fields || line.length !== end - start) return false;
    for (let i = 0; i < line.length; i++) if (line[i] !== bytes[start + i]) return false;
    return true;
  }

  /** Returns whether no source has changed since it was made, or since this was asked before. */
  stands(isPrompt: boolean): boolean {
    let hasChanged = false;
    for (let i = 0; i < this.#sources.length; i++) {
      const revision = this.#sources[i]?.revision(isPrompt);
      if (revision === this.#revisions[i]) continue;
      // One that is not known now is not what it was.
      this.#revisions[i] = revision ?? Number.NaN;
      hasChanged = true;
    }
    if (!hasChanged) return true;
    this.#text = undefined;
    this.isAwaited = true;
    return false;
  }

  get hasText(): boolean {
    return this.#text !== undefined;
  }

  /** Returns the answer, with these lines at the end of its head. */
  toText(lines: string): string {
    const { before, renew, after, content } = this.#text as AnswerText; // there is one
    return before + (renew === undefined ? "" : renew()) + after + lines + content;
  }
}

/** What the objects of an answer take, in bytes. */
const sizeOfObjects = 400;
