import type { Server, Socket } from "node:net";
import type { Server as TlsServer } from "node:tls";
import type { Http1Server } from "./http1/server.ts";
import type { Http2Server } from "./http2/server.ts";

/** What listens, and the connections that it has accepted. */
export interface Listener {
  readonly server: Server;
  /** The same server; undefined without TLS. */
  readonly tls: TlsServer | undefined;
  readonly http1: Http1Server;
  /** Undefined without TLS. */
  readonly http2: Http2Server | undefined;
}

/** A client may end its side of the connection and still wait for its answer; answers are not held back to be joined. */
export const connectionOptions = { allowHalfOpen: true, noDelay: true };

/** The sockets of a listener that are open, those too that have got no further than the handshake of TLS. */
export function openSockets({ server }: Listener): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}
