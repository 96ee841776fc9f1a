import type { Server, Socket } from "node:net";
import { createServer, type SecureContextOptions } from "node:tls";
import { connectionOptions } from "./connections/connections.ts";
import type { ServeContext } from "./exchange/context.ts";
import type { HeadFields } from "./http2/kept-head.ts";
import { Http2Session } from "./http2/session.ts";
import { openMemory } from "./memory/answer-memory.ts";
import type { TlsCredentials } from "./options.ts";

/** A server with TLS. */
export interface SecureServer {
  readonly server: Server;
  /** Uses other credentials for new connections. */
  reload(credentials: TlsCredentials): void;
  /** Closes the connections that have got no further than the handshake. */
  closeHandshakes(): void;
}

/** Makes a server with TLS, which speaks HTTP/2 with the clients that choose it (ALPN), and HTTP/1.1 with the others. */
export function makeSecureServer(
  context: ServeContext,
  credentials: TlsCredentials,
  acceptHttp1: (socket: Socket) => void,
): SecureServer {
  const { headersTimeout } = context;
  const memory = openMemory<HeadFields>(context);
  const options = {
    ...connectionOptions,
    ...toSecureContext(credentials),
    ALPNProtocols: ["h2", "http/1.1"],
    ...(headersTimeout > 0 && { handshakeTimeout: headersTimeout }),
  };
  const handshakes = new Map<string, Socket>();
  const server = createServer(options, (socket) => {
    handshakes.delete(endsOf(socket));
    if (socket.destroyed) return;
    if (socket.alpnProtocol === "h2") new Http2Session(socket, context, memory);
    else acceptHttp1(socket);
  });
  server.on("connection", (socket: Socket) => {
    const ends = endsOf(socket);
    handshakes.set(ends, socket);
    socket.once("close", () => {
      if (handshakes.get(ends) === socket) handshakes.delete(ends);
    });
  });
  // To a client that speaks plain HTTP, a connection that only ends looks like a broken server.
  server.on("tlsClientError", ({ code }: NodeJS.ErrnoException, secured) => {
    // OpenSSL does not know every method, but that what it reads is no record of TLS.
    if (code !== "ERR_SSL_HTTP_REQUEST" && code !== "ERR_SSL_WRONG_VERSION_NUMBER") return;
    handshakes.get(endsOf(secured))?.end(plainHttpAnswer);
    context.onPlainHttp?.(secured.remoteAddress);
  });
  return {
    server,
    reload: (others) => server.setSecureContext(toSecureContext(others)),
    closeHandshakes() {
      for (const socket of handshakes.values()) socket.destroy();
    },
  };
}

const plainHttpDetail = "This port takes HTTPS: begin the address with https://\n";
const plainHttpAnswer =
  "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n" +
  `Content-Length: ${plainHttpDetail.length}\r\n\r\n${plainHttpDetail}`;

/** Both ends of a connection: Node does not say which of the accepted sockets a secure one has been made of. */
const endsOf = (socket: Socket): string =>
  `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress} ${socket.localPort}`;

/**
 * The credentials with what is not up to Node's defaults, which an option of its command line may weaken.
 *
 * @throws TypeError where a part is missing, without which Node.js listens and each handshake fails, or where they are names of
 * files, of which OpenSSL only says that they do not begin as PEM does
 */
function toSecureContext(credentials: TlsCredentials): SecureContextOptions {
  const { key, cert, pfx } = credentials;
  if (pfx === undefined && (key === undefined || cert === undefined)) {
    throw new TypeError(
      'tls needs a key and a cert, or a pfx: { key: readFileSync("key.pem"), cert: readFileSync("cert.pem") }',
    );
  }
  for (const [name, value] of Object.entries({ key, cert })) {
    if (typeof value === "string" && !value.includes("-----BEGIN ")) {
      throw new TypeError(
        `tls.${name} must be the text in PEM, as readFileSync(…) returns it, and not the name of a file`,
      );
    }
  }
  return { minVersion: "TLSv1.2", ...credentials };
}
