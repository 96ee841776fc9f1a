import { performance } from "node:perf_hooks";
import type { repeatable } from "waymark";
import type { HeaderList } from "waymark/fields";
import { currentTurn, type EventLoopTurn, type Peer } from "../exchange/served-exchange.ts";
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
  /** Undefined where it cannot be sent again. */
  head: Head | undefined;
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
    this.head = head;
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
    this.head = undefined;
    this.isAwaited = true;
    return false;
  }
}

/** An answer that comes from memory for one request, which has no other exchange. */
export class RepeatedAnswer<Head extends KeptHead> implements repeatable.Repeated {
  readonly head: Head;
  readonly content: string;
  /** The values of the fields that are renewed, in their order. */
  values: readonly string[] = [];
  duration = 0;
  isSent = false;
  /** Whether somebody waits until it has been sent. */
  readonly isObserved: boolean;
  readonly #kept: KeptAnswer<Head>;
  readonly #peer: Peer;
  readonly #message: { readonly headers: HeaderList };
  readonly #started: number;

  /** @param head that of the kept answer: when this one has been sent, it may be kept no longer */
  constructor(kept: KeptAnswer<Head>, head: Head, peer: Peer, message: { readonly headers: HeaderList }) {
    this.head = head;
    this.content = kept.content;
    this.#kept = kept;
    this.#peer = peer;
    this.#message = message;
    this.isObserved = kept.listeners.length > 0;
    this.#started = this.isObserved ? performance.now() : 0;
  }

  get address(): string | undefined {
    return this.#peer.addressOf(this.#message.headers);
  }

  get headers(): HeaderList {
    return this.#message.headers;
  }

  get turn(): EventLoopTurn | undefined {
    return currentTurn();
  }

  renewed(name: string): string | undefined {
    return this.values[this.head.renewed.findIndex((field) => field.name === name)];
  }

  /** Asks whether it may be sent; if so, it is renewed. */
  maySend(): boolean {
    for (const mayRepeat of this.#kept.questions) if (!mayRepeat(this)) return false;
    this.values = this.head.renewed.map(({ value }) => value(this));
    return true;
  }

  /** To be called when it has been sent, or the client has gone; where it is observed. */
  end(isSent: boolean): void {
    this.duration = performance.now() - this.#started;
    this.isSent = isSent;
    for (const listener of this.#kept.listeners) listener(this);
  }
}

/** What the objects of an answer take, in bytes. */
const sizeOfObjects = 400;
