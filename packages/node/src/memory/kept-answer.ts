import type { repeatable } from "waymark";
import type { AskedSource } from "./asked-sources.ts";

/** A field that has a new value each time. */
export type RenewedField = NonNullable<repeatable.Repetition["renews"]>;

/** The head of an answer, as a protocol keeps it. */
export interface KeptHead {
  /** The fields that have a new value each time, in their order. */
  readonly renewed: readonly RenewedField[];
  /** Bytes, roughly. */
  readonly size: number;
}

/** An answer that is kept; or that the answer to a head is not kept before the next change. */
export class KeptAnswer<Head extends KeptHead> {
  /** Each character a byte; empty where none is sent. */
  readonly content: string;
  /** Bytes, roughly. */
  readonly size: number;
  /** What is asked before it is sent. */
  readonly questions: readonly NonNullable<repeatable.Repetition["mayRepeat"]>[];
  /** What is called when it has been sent. */
  readonly listeners: readonly NonNullable<repeatable.Repetition["onEnd"]>[];
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
    repetitions: readonly repeatable.Repetition[],
  ) {
    this.content = content;
    this.questions = repetitions.flatMap(({ mayRepeat }) => mayRepeat ?? []);
    this.listeners = repetitions.flatMap(({ onEnd }) => onEnd ?? []);
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
