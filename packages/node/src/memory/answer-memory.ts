import type { AnswerSource, HttpRequest, HttpResponse, repeatable } from "waymark";
import type { AdapterExchange } from "waymark/internal";
import type { ServeContext } from "../exchange/context.ts";
import type { Peer, RecordingNote } from "../exchange/served-exchange.ts";
import { type AskedFields, type AskedNames, FieldNotes } from "./asked-fields.ts";
import { type AskedSource, AskedSources } from "./asked-sources.ts";
import { KeptAnswer, type KeptHead, type RenewedField, RepeatedAnswer } from "./kept-answer.ts";
import { SeenOnce } from "./seen-once.ts";

/**
 * Keeps answers whose handlers say that they depend on nothing but the head of the request and on sources that have a revision.
 * A request is answered again from memory while the revisions stand, with a new date and whatever else filters renew, if its
 * request line is the same and so is all that was asked of the head while the answer was made: fields that nobody asked for may
 * differ. What was acknowledged before a request began to arrive is in its answer (`AskedSources`).
 *
 * An answer is kept when it is asked for the second time, and after a change when it comes twice again; fewer are, while those
 * that are kept are hardly used. There are two generations: an answer that is used moves to the younger one, and when that is full
 * the elder one goes.
 *
 * @template Head the head of an answer, as a protocol keeps it
 */
export class AnswerMemory<Head extends KeptHead> {
  readonly sources: AskedSources = new AskedSources();
  readonly #isRepeatable: IsRepeatable;
  readonly #most: number;
  readonly #seen = new SeenOnce(8_192);
  #younger = new Generation<Head>();
  #elder = new Generation<Head>();
  /** What has been asked of heads, by the names. */
  #asked = new Map<string, AskedNames>();
  #askedCount = 0;
  /** What the uses of answers have gained beyond what it took to keep them, in uses. */
  #gain = mostGain;
  #passedOver = 0;

  /** @param most bytes of all answers */
  constructor(isRepeatable: IsRepeatable, most: number) {
    this.#isRepeatable = isRepeatable;
    this.#most = most;
  }

  /**
   * Looks for the answer to a request.
   *
   * @param round the round in which it was read, if it was prompt, or -1 (`AskedSources`)
   * @param peer the other end of its connection
   * @returns the answer, which is to be sent; or what notes the answer that the app makes; or undefined
   */
  find(head: RequestHead, round: number, peer: Peer): RepeatedAnswer<Head> | AnswerNote<Head> | undefined {
    // What a proxy says of its clients is believed.
    const line = peer.isTrusted ? `proxy ${head.line}` : head.line;
    let { key } = head;
    let kept = key === undefined ? undefined : this.#answer(key);
    if (kept === undefined) {
      for (const asked of this.#askedFor(line)) {
        key = head.fields.key(line, asked, peer);
        kept = this.#answer(key);
        if (kept !== undefined) break;
      }
      head.key = kept === undefined ? undefined : key;
    }
    if (kept === undefined) return this.#seen.add(key ?? line) ? this.#note(line, head, peer) : undefined;
    if (!kept.stands(round)) return undefined;
    if (kept.isAwaited) return this.#note(line, head, peer);
    if (kept.head === undefined) return undefined;
    const repeated = new RepeatedAnswer(kept, kept.head, peer, head.fields);
    if (!repeated.maySend()) return undefined;
    if (this.#gain < mostGain) this.#gain++;
    return repeated;
  }

  #answer(key: string): KeptAnswer<Head> | undefined {
    const kept = this.#younger.answers.get(key);
    if (kept !== undefined) return kept;
    const old = this.#elder.answers.get(key);
    if (old === undefined) return undefined;
    this.#elder.answers.delete(key);
    this.#keep(key, old);
    return old;
  }

  #askedFor(line: string): readonly AskedNames[] {
    const asked = this.#younger.asked.get(line);
    if (asked !== undefined) return asked;
    const old = this.#elder.asked.get(line);
    if (old !== undefined) this.#younger.asked.set(line, old);
    return old ?? none;
  }

  /** Notes the answer that is made; undefined while it is not worth it: to keep one takes several times what using it saves. */
  #note(line: string, { fields }: RequestHead, peer: Peer): AnswerNote<Head> | undefined {
    if (this.#gain < usesWorthKeeping && ++this.#passedOver % leastKept !== 0) return undefined;
    this.#gain = Math.max(0, this.#gain - usesWorthKeeping);
    return new AnswerNote(this.sources, this.#isRepeatable, (kept, names) => {
      const asked = this.#ask(line, names);
      if (asked !== undefined) this.#keep(fields.key(line, asked, peer), kept);
    });
  }

  /** Notes that these names were asked of a head with this line; returns undefined where there are too many others. */
  #ask(line: string, names: readonly string[]): AskedNames | undefined {
    const text = names.join("\n");
    let asked = this.#asked.get(text);
    if (asked === undefined) {
      // Numbers do not come again, so that what was kept under one that is forgotten is not found.
      if (this.#asked.size === mostAsked) this.#asked = new Map();
      asked = { number: ++this.#askedCount, names };
      this.#asked.set(text, asked);
    }
    const others = this.#askedFor(line);
    if (others.includes(asked)) return asked;
    if (others.length === mostAskedOfLine) return undefined;
    this.#younger.asked.set(line, [...others, asked]);
    this.#younger.size += line.length + sizeOfAsked;
    return asked;
  }

  #keep(key: string, kept: KeptAnswer<Head>): void {
    const generation = this.#younger;
    generation.size += key.length + kept.size - (generation.answers.get(key)?.size ?? -key.length);
    generation.answers.set(key, kept);
    if (generation.size <= this.#most / 2) return;
    this.#elder = generation;
    this.#younger = new Generation();
  }
}

/** A head to which an answer is looked for. */
export interface RequestHead {
  /** The request line. */
  readonly line: string;
  readonly fields: AskedFields;
  /** The key of the answer, once one has been found. */
  key: string | undefined;
}

/** Answers that are kept, and what was asked of heads with a line while they were made. */
class Generation<Head extends KeptHead> {
  readonly answers = new Map<string, KeptAnswer<Head>>();
  readonly asked = new Map<string, readonly AskedNames[]>();
  /** Bytes, roughly. */
  size = 0;
}

const none: readonly AskedNames[] = [];
/** How many different names may be asked of heads with one line, and of all. */
const mostAskedOfLine = 16;
const mostAsked = 1_000;
/** What the list of them takes beside its line, in bytes. */
const sizeOfAsked = 150;

/** Returns the memory for the answers of a protocol; undefined without one. With TLS, HTTP/1.1 and HTTP/2 have half of it each. */
export function openMemory<Head extends KeptHead>({
  app: { isRepeatable },
  answerMemory,
  tls,
}: ServeContext): AnswerMemory<Head> | undefined {
  if (answerMemory === 0 || isRepeatable === undefined) return undefined;
  return new AnswerMemory(isRepeatable, tls === undefined ? answerMemory : answerMemory / 2);
}

// With 100,000 records that are read at random, keeping each answer that comes again soon cost 7 % of the requests.
const usesWorthKeeping = 8;
const mostGain = 8_000;
/** One of so many answers is kept also while it is not worth it, to see when it is. */
const leastKept = 32;

type IsRepeatable = NonNullable<AdapterExchange["app"]["isRepeatable"]>;

/** Notes what an answer depends on while the app makes it, and then the answer. */
export class AnswerNote<Head extends KeptHead> implements RecordingNote {
  readonly #asked: AskedSources;
  readonly #isRepeatable: IsRepeatable;
  readonly #keep: (kept: KeptAnswer<Head>, asked: readonly string[]) => void;
  /** What is asked of the head of the request. */
  readonly fields: FieldNotes = new FieldNotes();
  readonly #sources: AskedSource[] = [];
  readonly #revisions: number[] = [];
  readonly #repetitions: repeatable.Repetition[] = [];
  #isAllowed = false;
  #isRefused = false;
  /** Whether a source could not say its revision. */
  #isUnknown = false;

  /** @param keep takes the answer, and the names of what was asked of the head */
  constructor(
    asked: AskedSources,
    isRepeatable: IsRepeatable,
    keep: (kept: KeptAnswer<Head>, asked: readonly string[]) => void,
  ) {
    this.#asked = asked;
    this.#isRepeatable = isRepeatable;
    this.#keep = keep;
  }

  allow(): void {
    this.#isAllowed = true;
  }

  refuse(): void {
    this.#isRefused = true;
  }

  unasked<T>(read: () => T): T {
    return this.fields.unasked(read);
  }

  onRepeat(repetition: repeatable.Repetition): void {
    this.#repetitions.push(repetition);
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
   * @param makeHead returns its head, with these fields to be renewed; undefined where one of them is not one line of it
   */
  end(
    { method, route }: { readonly method: string; readonly route: HttpRequest["route"] },
    { status, headers }: HttpResponse,
    content: null | string | Uint8Array | undefined,
    makeHead: (renewed: readonly RenewedField[]) => Head | undefined,
  ): void {
    // A refusal for want of room, or a fault, is that of this request, and not of all with its head.
    if (this.#isUnknown || status === 429 || status >= 500) return;
    const mayRepeat = this.#isAllowed && !this.#isRefused && this.#isRepeatable(route);
    const isRead = (method === "GET" || method === "HEAD") && (status === 200 || status === 304);
    const text = mayRepeat && isRead && !headers.has("Set-Cookie") ? toText(content) : undefined;
    const repetitions = this.#repetitions;
    const renewed = repetitions.flatMap(({ renews }) => renews ?? []);
    const areDifferent = new Set(renewed.map(({ name }) => name.toLowerCase())).size === renewed.length;
    const head = text !== undefined && areDifferent ? makeHead(renewed) : undefined;
    this.#keep(new KeptAnswer(head, text ?? "", this.#sources, this.#revisions, repetitions), this.fields.names);
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
