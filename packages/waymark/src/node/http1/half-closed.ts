import type { Socket } from "node:net";
import type { Http1Exchange } from "./exchange.ts";

/**
 * Watches over a connection whose client has ended its side, and waits for responses or has gone: the two look the same until
 * it is sent something.
 *
 * Where nothing has been sent after a while, an interim response is, which a client that has not asked for it discards
 * (RFC 9110 §15.2.1): it has the system of a client that has gone reset the connection, and the next one fails on that.
 * HTTP/1.0 knows no such response, and none can follow a head: there, and of a client that goes later, the response itself
 * finds it out, and at last the timeout.
 */
export class HalfClosed {
  readonly #socket: Socket;
  readonly #writeTimeout: number;
  #probes = 0;
  #waited = 0;
  #silent = 0;
  #written: number;

  /** @param writeTimeout for how long nothing may be sent, in milliseconds; 0 for any time */
  constructor(socket: Socket, writeTimeout: number) {
    this.#socket = socket;
    this.#writeTimeout = writeTimeout;
    this.#written = socket.bytesWritten;
  }

  /**
   * @param elapsed since the last call, in milliseconds
   * @param first the exchange whose response is next
   */
  watch(elapsed: number, first: Http1Exchange): void {
    this.#waited += elapsed;
    if (this.#probes < mostProbes && this.#waited >= (this.#probes + 1) * patience) {
      this.#probes++;
      if (!first.headSent && first.head.minorVersion === 1) first.connection.output.latin1(interimResponse);
    }
    const { bytesWritten } = this.#socket;
    const isSilent = bytesWritten === this.#written && first.connection.output.isSent;
    this.#silent = isSilent ? this.#silent + elapsed : 0;
    this.#written = bytesWritten;
    if (this.#writeTimeout > 0 && this.#silent > this.#writeTimeout) this.#socket.destroy();
  }
}

/** The interim response that lets a client send its content (RFC 9110 §15.2.1). */
export const interimResponse = "HTTP/1.1 100 Continue\r\n\r\n";

/** In milliseconds: most answers come before it, and within it the reset of a client that has gone. */
const patience = 1_000;
const mostProbes = 2;
