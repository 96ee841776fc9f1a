import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { Client } from "../../client.ts";
import { HeaderList } from "../../header-list.ts";
import { clientBehind, type ProxyFields } from "./forwarded.ts";
import { canonicalAddress, type IsTrusted } from "./trusted-proxies.ts";

/** Which proxies a server believes, and by which fields. */
export interface ProxyTrust {
  readonly isTrustedProxy: IsTrusted;
  readonly proxyFields: ProxyFields;
}

/** The client of a Node request: its peer, or whom a trusted proxy names. */
export function nodeClient(message: IncomingMessage, { isTrustedProxy, proxyFields }: ProxyTrust): Client {
  const headers = HeaderList.fromParsed(message.rawHeaders);
  const { socket } = message;
  const peer: Client = {
    address: canonicalAddress(socket.remoteAddress ?? ""),
    scheme: socket instanceof TLSSocket ? "https" : "http",
    // RFC 9112 §3.2.2: the authority of the target, where it has one, is the one that counts.
    host: /^https?:\/\/([^/?#]+)/i.exec(message.url ?? "")?.[1] ?? headers.get("Host"),
  };
  return clientBehind(peer, headers, proxyFields, isTrustedProxy);
}
