import type { AdapterExchange } from "waymark/internal";

/**
 * Lets the requests in hand know that their server shuts down. Each has a signal of its own, which goes with the request:
 * what handlers add to one signal for the whole life of a server would stay as long as that.
 */
export class Draining {
  #hasBegun = false;
  readonly #open = new Set<AbortController>();

  /** Returns the signal of a request, aborted when the server waits only for the requests in hand. */
  signalFor(exchange: Pick<AdapterExchange, "onEnd">): AbortSignal {
    const abort = new AbortController();
    if (this.#hasBegun) abort.abort(shuttingDown());
    else {
      this.#open.add(abort);
      exchange.onEnd(() => this.#open.delete(abort));
    }
    return abort.signal;
  }

  begin(): void {
    this.#hasBegun = true;
    for (const abort of this.#open) abort.abort(shuttingDown());
    this.#open.clear();
  }
}

const shuttingDown = (): DOMException => new DOMException("The server is shutting down", "AbortError");
