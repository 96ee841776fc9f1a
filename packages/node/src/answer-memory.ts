import type { AnswerSource, HttpResponse, MatchedRoute } from "waymark";
import type { AnswerRecording, AppRepetition } from "waymark/internal";
import { type AskedSource, AskedSources } from "./asked-sources.ts";
import type { ServeContext } from "./context.ts";
import { SeenOnce } from "./seen-once.ts";
import { currentTurn } from "./served-exchange.ts";

/**
 * Keeps answers whose handlers say that they depend on nothing but the head of the request and on sources that have a revision.
 * The same head is answered again from memory while the revisions stand, with a new date and whatever else the app renews. What
 * was acknowledged before a request began to arrive is in its answer (`AskedSources`).
 *
 * An answer is kept when its head comes for the second time, and after a change when it comes twice again; fewer are, while those
 * that are kept are hardly used. There are two generations: an answer that is used moves to the younger one, and when that is full
 * the elder one goes.
 *
 * @template Head the head of an answer, as a protocol keeps it
 */
export class AnswerMemory<Head extends KeptHead> {
  readonly sources: AskedSources = new AskedSources();
  readonly #repetition: AppRepetition;
  readonly #most: number;
  readonly #seen = new SeenOnce(8_192);
  #younger = new Map<string, KeptAnswer<Head>>();
  #elder = new Map<string, KeptAnswer<Head>>();
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
   * Looks for the answer to a request.
   *
   * @param head the whole head of the request, byte for byte
   * @param round the round in which it was read, if it was prompt, or -1 (`AskedSources`)
   * @returns the answer, which may be sent; or what notes the answer that the app makes; or undefined
   */
  find(head: string, round: number): KeptAnswer<Head> | AnswerNote<Head> | undefined {
    const kept = this.#younger.get(head) ?? this.#fromElder(head);
    if (kept === undefined) return this.#seen.add(head) ? this.#note(head) : undefined;
    if (!kept.stands(round)) return undefined;
    if (kept.isAwaited) return this.#note(head);
    const { mayRepeat } = this.#repetition;
    if (!kept.canRepeat || (mayRepeat !== undefined && !mayRepeat(currentTurn()))) return undefined;
    if (this.#gain < mostGain) this.#gain++;
    for (const listener of kept.listeners) listener();
    return kept;
  }

  #fromElder(head: string): KeptAnswer<Head> | undefined {
    const kept = this.#elder.get(head);
    if (kept === undefined) return undefined;
    this.#elder.delete(head);
    this.#keep(head, kept);
    return kept;
  }

  /** Notes the answer that is made; undefined while it is not worth it: to keep one takes several times what using it saves. */
  #note(head: string): AnswerNote<Head> | undefined {
    if (this.#gain < usesWorthKeeping && ++this.#passedOver % leastKept !== 0) return undefined;
    this.#gain = Math.max(0, this.#gain - usesWorthKeeping);
    return new AnswerNote(this.sources, this.#repetition, (kept) => this.#keep(head, kept));
  }

  #keep(head: string, kept: KeptAnswer<Head>): void {
    this.#size += head.length + kept.size - (this.#younger.get(head)?.size ?? -head.length);
    this.#younger.set(head, kept);
    if (this.#size <= this.#most / 2) return;
    this.#elder = this.#younger;
    this.#younger = new Map();
    this.#size = 0;
  }
}

/** Returns the memory for the answers of a protocol; undefined without one. With TLS, HTTP/1.1 and HTTP/2 have half of it each. */
export function openMemory<Head extends KeptHead>({
  app: { repetition },
  answerMemory,
  tls,
}: ServeContext): AnswerMemory<Head> | undefined {
  if (answerMemory === 0 || repetition === undefined) return undefined;
  return new AnswerMemory(repetition, tls === undefined ? answerMemory : answerMemory / 2);
}

// With 100,000 records that are read at random, keeping each answer that comes again soon cost 7 % of the requests.
const usesWorthKeeping = 8;
const mostGain = 8_000;
/** One of so many answers is kept also while it is not worth it, to see when it is. */
const leastKept = 32;

/** The head of an answer, as a protocol keeps it. */
export interface KeptHead {
  /** Bytes, roughly. */
  readonly size: number;
}

/** Notes what an answer depends on while the app makes it, and then the answer. */
export class AnswerNote<Head extends KeptHead> implements AnswerRecording {
  readonly #asked: AskedSources;
  readonly #repetition: AppRepetition;
  readonly #keep: (kept: KeptAnswer<Head>) => void;
  readonly #sources: AskedSource[] = [];
  readonly #revisions: number[] = [];
  readonly #listeners: (() => void)[] = [];
  #isAllowed = false;
  #isRefused = false;
  /** Whether a source could not say its revision. */
  #isUnknown = false;

  constructor(asked: AskedSources, repetition: AppRepetition, keep: (kept: KeptAnswer<Head>) => void) {
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

  onRepeat(listener: () => void): void {
    this.#listeners.push(listener);
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

  /**
   * Keeps the answer; or keeps that no answer can be kept before the next change.
   *
   * @param content undefined where it comes in pieces
   * @param makeHead returns its head, with this field to be renewed; undefined where that is not one line of it
   */
  end(
    { method, route }: { readonly method: string; readonly route: MatchedRoute | undefined },
    { status, headers }: HttpResponse,
    content: null | string | Uint8Array | undefined,
    makeHead: (renewed: AppRepetition["renewed"]) => Head | undefined,
  ): void {
    if (this.#isUnknown) return;
    const mayRepeat = this.#isAllowed && !this.#isRefused && this.#repetition.isRepeatable(route);
    const isRead = (method === "GET" || method === "HEAD") && (status === 200 || status === 304);
    const text = mayRepeat && isRead && !headers.has("Set-Cookie") ? toText(content) : undefined;
    const head = text === undefined ? undefined : makeHead(this.#repetition.renewed);
    this.#keep(new KeptAnswer(head, text ?? "", this.#sources, this.#revisions, this.#listeners));
  }
}

/** Returns content as a text each of whose characters is a byte; undefined where it is too long, or comes in pieces. */
function toText(content: null | string | Uint8Array | undefined): string | undefined {
  if (content === undefined || (content?.length ?? 0) > mostContent) return undefined;
  const text = Buffer.from(content ?? "").toString("latin1");
  return text.length > mostContent ? undefined : text;
}

/** Bytes of content: a page of twenty records is half as long. */
const mostContent = 16_384;

/** An answer that is kept; or that the answer to a head is not kept before the next change. */
export class KeptAnswer<Head extends KeptHead> {
  /** Each character a byte; empty where none is sent. */
  readonly content: string;
  /** Bytes, roughly. */
  readonly size: number;
  /** Called each time when it is sent. */
  readonly listeners: readonly (() => void)[];
  readonly #sources: readonly AskedSource[];
  readonly #revisions: number[];
  #head: Head | undefined;
  /** Whether a source has changed, so that the answer is to be kept when its head comes again. */
  isAwaited = false;

  constructor(
    head: Head | undefined,
    content: string,
    sources: readonly AskedSource[],
    revisions: number[],
    listeners: readonly (() => void)[],
  ) {
    this.content = content;
    this.listeners = listeners;
    this.size = sizeOfObjects + (head?.size ?? 0) + content.length;
    this.#head = head;
    this.#sources = sources;
    this.#revisions = revisions;
  }

  /** Returns whether no source has changed since it was made, or since this was asked before. */
  stands(round: number): boolean {
    let hasChanged = false;
    for (let i = 0; i < this.#sources.length; i++) {
      const revision = this.#sources[i]?.revision(round);
      if (revision === this.#revisions[i]) continue;
      // One that is not known now is not what it was.
      this.#revisions[i] = revision ?? Number.NaN;
      hasChanged = true;
    }
    if (!hasChanged) return true;
    this.#head = undefined;
    this.isAwaited = true;
    return false;
  }

  get canRepeat(): boolean {
    return this.#head !== undefined;
  }

  get head(): Head {
    return this.#head as Head; // `find` returns no other
  }
}

/** What the objects of an answer take, in bytes. */
const sizeOfObjects = 400;
