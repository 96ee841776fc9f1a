import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { Http1Server } from "./http1/server.ts";
import { Http2Sessions } from "./http2-sessions.ts";
import { type ServeContext, type TlsCredentials, toSecureContext } from "./options.ts";

/** What listens, and the connections that it has accepted. */
export interface Listener {
  readonly server: Server;
  /** The same server; undefined without TLS. */
  readonly tls: TlsServer | undefined;
  readonly http1: Http1Server;
  /** Undefined without TLS. */
  readonly http2: Http2Sessions | undefined;
}

/** A listener that does not listen yet. */
export function makeListener(context: ServeContext): Listener {
  const { maxConnections } = context;
  const listener = context.tls === undefined ? makePlain(context) : makeSecure(context, context.tls);
  // To Node, 0 is none at all.
  if (maxConnections > 0) listener.server.maxConnections = maxConnections;
  return listener;
}

function makePlain(context: ServeContext): Listener {
  const http1 = new Http1Server(context);
  const server = createServer(connectionOptions, (socket) => http1.accept(socket));
  return { server, tls: undefined, http1, http2: undefined };
}

function makeSecure(context: ServeContext, credentials: TlsCredentials): Listener {
  const http1 = new Http1Server(context);
  const http2 = new Http2Sessions(context);
  const { headersTimeout } = context;
  const options = {
    ...connectionOptions,
    ...toSecureContext(credentials),
    ALPNProtocols: ["h2", "http/1.1"],
    ...(headersTimeout > 0 && { handshakeTimeout: headersTimeout }),
  };
  const tls = createTlsServer(options, (socket) => {
    if (socket.alpnProtocol === "h2") http2.accept(socket);
    else http1.accept(socket);
  });
  return { server: tls, tls, http1, http2 };
}

/** A client may end its side of the connection and still wait for its answer; answers are not held back to be joined. */
const connectionOptions = { allowHalfOpen: true, noDelay: true };

/** The sockets of a listener that are open, those too that have got no further than the handshake of TLS. */
export function openSockets({ server }: Listener): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}
