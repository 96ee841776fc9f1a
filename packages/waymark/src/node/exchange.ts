import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { AdapterExchange, type Platform } from "../adapter/exchange.ts";
import type { Client, EventLoopTurn } from "../exchange.ts";
import type { Peer } from "./client.ts";
import type { ServeContext } from "./context.ts";
import type { ContentHolder, ContentShare } from "./held-content.ts";

/** Node, as far as exchanges differ by it. */
export const node: Platform = {
  byteLength: (text) => Buffer.byteLength(text),
  pause: () => eventLoopTurn(),
};

/** An exchange on a connection of `serve`. */
export abstract class ServedExchange extends AdapterExchange {
  readonly context: ServeContext;
  readonly #peer: Peer;
  #draining: AbortSignal | undefined;

  constructor(context: ServeContext, peer: Peer) {
    super(context.app, node);
    this.context = context;
    this.#peer = peer;
  }

  get turn(): EventLoopTurn | undefined {
    return this.context.turns.current;
  }

  get draining(): AbortSignal {
    this.#draining ??= this.context.draining.signalFor(this);
    return this.#draining;
  }

  /** Counts the content of the request, from now until the exchange has ended. */
  protected countContent(holder: ContentHolder): ContentShare {
    const share = this.context.heldContent.open(this.client.address, holder);
    this.onEnd(() => share.close());
    return share;
  }

  protected findClient(): Client {
    return this.#peer.clientOf(this);
  }
}
