import { performance } from "node:perf_hooks";
import type { repeatable } from "waymark";
import type { HeaderList } from "waymark/fields";
import { currentTurn, type EventLoopTurn, type Peer } from "../served-exchange.ts";
import type { KeptAnswer, KeptHead } from "./kept-answer.ts";

/** An answer that comes from memory for one request, which has no other exchange. */
export class RepeatedAnswer<Head extends KeptHead> implements repeatable.Repeated {
  readonly head: Head;
  readonly content: string;
  /** The values of the fields that are renewed, in their order. */
  values: readonly string[] = [];
  duration = 0;
  isSent = false;
  readonly #kept: KeptAnswer<Head>;
  readonly #peer: Peer;
  readonly #message: { readonly headers: HeaderList };
  readonly #started: number;

  constructor(kept: KeptAnswer<Head>, peer: Peer, message: { readonly headers: HeaderList }) {
    // When it has been sent, its head may be kept no longer.
    this.head = kept.head;
    this.content = kept.content;
    this.#kept = kept;
    this.#peer = peer;
    this.#message = message;
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

  /** Whether somebody waits until it has been sent. */
  get isObserved(): boolean {
    return this.#kept.listeners.length > 0;
  }

  /** To be called when it has been sent, or the client has gone; where it is observed. */
  end(isSent: boolean): void {
    this.duration = performance.now() - this.#started;
    this.isSent = isSent;
    for (const listener of this.#kept.listeners) listener(this);
  }
}
