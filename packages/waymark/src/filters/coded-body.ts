import { isPromise } from "../and-then.ts";
import { type ContentCoding, type Encoder, joinBytes } from "../content/coding.ts";
import type { HeaderList } from "../fields/header-list.ts";
import type { StreamedBody } from "../response.ts";
import { type BodySource, openBody, type Step } from "../response-body.ts";

/**
 * Returns the streamed body of a response with these fields, coded. It is read no faster than it is taken, and nothing of it is
 * held back for longer than 5 ms: a body that pauses is flushed. Ending it ends the body at once, even while it waits.
 */
export function codeBody(body: StreamedBody, headers: HeaderList, coding: ContentCoding): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new CodedPieces(openBody(body, headers), coding) };
}

// No generator: one that waits for its source could not be ended before the source gives something.
class CodedPieces implements AsyncIterator<Uint8Array, undefined, undefined> {
  readonly #source: BodySource;
  readonly #coding: ContentCoding;
  #encoder: Encoder | undefined;
  /** What the source was asked for and has not been taken yet. */
  #asked: Step | Promise<Step> | undefined;
  /** Whether the encoder has taken bytes that a decoder could not give back yet. */
  #unflushed = false;
  #ended = false;
  #cancelled: Promise<void> | undefined;

  constructor(source: BodySource, coding: ContentCoding) {
    this.#source = source;
    this.#coding = coding;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      while (!this.#ended) {
        const piece = await this.#codeNext();
        if (piece.length > 0) return { done: false, value: piece };
      }
    } catch (error) {
      // A later failure adds nothing.
      this.return().catch(() => undefined);
      throw error;
    }
    this.#encoder?.close();
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#ended = true;
    this.#encoder?.close();
    this.#cancelled ??= this.#source.cancel();
    await this.#cancelled;
    return { done: true, value: undefined };
  }

  async #codeNext(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const overdue = new Deadline();
    try {
      while (size < enough) {
        this.#asked ??= this.#source.next();
        let step: Step | undefined | Promise<Step | undefined> = this.#asked;
        // Where nothing is held back there is nothing to flush.
        if (isPromise(step)) step = await (size > 0 || this.#unflushed ? overdue.orSettled(step) : step);
        if (step === undefined) return await this.#encode(pieces, "flush");
        this.#asked = undefined;
        if (step.done === true) return await this.#encode(pieces, "end");
        const piece = typeof step.value === "string" ? utf8.encode(step.value) : step.value;
        pieces.push(piece);
        size += piece.byteLength;
      }
      return await this.#encode(pieces, "part");
    } finally {
      overdue.clear();
    }
  }

  #encode(pieces: readonly Uint8Array[], until: "part" | "flush" | "end"): Promise<Uint8Array> {
    this.#encoder ??= this.#coding.encoder();
    this.#unflushed = until === "part";
    if (until === "end") this.#ended = true;
    return this.#encoder.encode(joinBytes(pieces), until);
  }
}

/** The time until which something may be held back, from the first wait on. */
class Deadline {
  #passed: Promise<undefined> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Returns the value, or undefined when the deadline passes before there is one. */
  orSettled<T>(value: Promise<T>): Promise<T | undefined> {
    this.#passed ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve(undefined), longestHold);
    });
    return Promise.race([value, this.#passed]);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

// Bytes: a call of the encoder costs 20 to 50 µs however little it takes, about what coding these does.
const enough = 16_384;
// Milliseconds: too short for a person to notice, and too long for a database that is asked for one batch after another.
const longestHold = 5;
const utf8 = new TextEncoder();
