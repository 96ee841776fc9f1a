import type { Server, Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { ServeContext } from "./exchange/context.ts";
import { integer, longestTimer } from "./options.ts";
import type { SecureServer } from "./secure-server.ts";

/** The options of `RunningServer.close`. */
export interface CloseOptions {
  /** How long new connections are still accepted, 0…2,147,483,647 ms, so that load balancers notice first. Default: 0. */
  readonly notice?: number;
  /** How long requests in progress may take before they are cut, 0…2,147,483,647 ms. Default: 10,000. */
  readonly grace?: number;
}

/** Makes the function that shuts a server down (`RunningServer.close`). To be called before the server listens. */
export function closer(
  server: Server,
  context: ServeContext,
  secure: SecureServer | undefined,
): (options?: CloseOptions) => Promise<void> {
  const { connections, draining } = context;
  const sockets = openSockets(server);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const closeUnused = (): void => {
    secure?.closeHandshakes();
    connections.closeIdle(true);
  };
  const notices = new AbortController();
  let closed: Promise<void> | undefined;
  return async ({ notice = 0, grace = 10_000 } = {}) => {
    integer("notice", notice, longestTimer);
    integer("grace", grace, longestTimer);
    context.closing = true;
    connections.startClosing();
    // The notice that is over first ends those of other calls.
    if (notice > 0) await wait(notice, undefined, notices).catch(() => undefined);
    draining.begin();
    closed ??= new Promise((resolve) => {
      const late = setTimeout(closeUnused, timeOfFirstRequest);
      server.close(() => {
        clearTimeout(late);
        resolve();
      });
      // By the second turn of the event loop, requests that had arrived have been read, and are not idle.
      setImmediate(() => setImmediate(() => connections.closeIdle(false)));
    });
    notices.abort();
    const deadline = setTimeout(cut, grace);
    await closed;
    clearTimeout(deadline);
  };
}

/**
 * In milliseconds, how long the first request of a connection that was accepted before may take to arrive: a client sends a request
 * again where a connection ends that it has used before, but not where a new one does.
 */
const timeOfFirstRequest = 1000;

/** The sockets that are open, those too that have got no further than the handshake of TLS, or have been handed over. */
function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}
