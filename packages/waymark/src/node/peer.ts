import type { Socket } from "node:net";
import type { Client } from "../exchange.ts";
import type { HeaderList } from "../fields/header-list.ts";
import { canonicalAddress, clientBehind, isEncrypted, type ProxyTrust } from "./client.ts";

/** The other end of a connection: a client, or a proxy that speaks for one. */
export class Peer {
  readonly #socket: Socket;
  readonly #trust: ProxyTrust;
  #address: string | undefined;
  #isTrusted = false;

  constructor(socket: Socket, trust: ProxyTrust) {
    this.#socket = socket;
    this.#trust = trust;
  }

  /** The client of the request with this head: the peer itself, or the one that a trusted proxy names. */
  clientOf({ headers }: { readonly headers: HeaderList }): Client {
    this.#address ??= this.#look();
    const peer: Client = {
      address: this.#address,
      scheme: isEncrypted(this.#socket) ? "https" : "http",
      host: headers.get("Host"),
    };
    return this.#isTrusted ? clientBehind(peer, headers, this.#trust.proxyFields, this.#trust.isTrustedProxy) : peer;
  }

  #look(): string | undefined {
    const address = canonicalAddress(this.#socket.remoteAddress ?? "");
    this.#isTrusted = address !== undefined && this.#trust.isTrustedProxy(address);
    return address;
  }
}
