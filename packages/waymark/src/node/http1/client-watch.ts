import type { Output } from "../output.ts";
import type { Http1Exchange } from "./exchange.ts";

/**
 * Finds out whether a client that has ended its side is still there.
 *
 * A client that has ended its side waits for responses or has gone: the two look the same until it is sent something. Where
 * nothing has been sent after a while, an interim response is, which a client that has not asked for it discards (RFC 9110
 * §15.2.1): it has the system of a client that has gone reset the connection, and the next one fails on that. HTTP/1.0 knows
 * no such response, and none can follow a head: there, and of a client that goes later, the response itself finds it out, and
 * at last the timeout.
 */
export class ClientWatch {
  readonly #output: Output;
  #probes = 0;
  #halfClosed = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * @param elapsed since the last call, in milliseconds
   * @param halfClosed the exchange whose response is next, if the client has ended its side
   */
  look(elapsed: number, halfClosed: Http1Exchange | undefined): void {
    this.#output.look(elapsed, halfClosed !== undefined);
    if (halfClosed !== undefined) this.#probe(elapsed, halfClosed);
  }

  #probe(elapsed: number, { headSent, head }: Http1Exchange): void {
    this.#halfClosed += elapsed;
    if (this.#probes === mostProbes || this.#halfClosed < (this.#probes + 1) * patience) return;
    this.#probes++;
    if (!headSent && head.minorVersion === 1) this.#output.latin1(interimResponse);
  }
}

/** The interim response that lets a client send its content (RFC 9110 §15.2.1). */
export const interimResponse = "HTTP/1.1 100 Continue\r\n\r\n";

/** In milliseconds: most answers come before it, and within it the reset of a client that has gone. */
const patience = 1_000;
const mostProbes = 2;
