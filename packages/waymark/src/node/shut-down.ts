import type { Socket } from "node:net";
import type { Connections } from "./connections.ts";
import { Http2Sessions } from "./http2-sessions.ts";
import { stopListening } from "./internals.ts";
import type { Listener } from "./listener.ts";
import { integer, longestTimer, type ServeSettings } from "./options.ts";

export interface CloseOptions {
  /**
   * How long it still takes connections: 0…2,147,483,647 ms. For those who send it requests to see that it is no longer
   * ready and go elsewhere. Default: 0.
   */
  readonly notice?: number;
  /** How long to wait for what is in hand before its connections are destroyed: 0…2,147,483,647 ms. Default: 10,000. */
  readonly grace?: number;
}

/** The function that shuts a listener down, made before it listens; see `RunningServer`. */
export function closer(
  listener: Listener,
  connections: Connections,
  settings: ServeSettings,
): (options?: CloseOptions) => Promise<void> {
  const { server, http2 } = listener;
  const sessions = http2 && new Http2Sessions(http2, settings);
  // Those that have got no further than the handshake of TLS, too.
  const sockets = new Set<Socket>();
  if (http2 !== undefined) {
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    });
  }
  const cut = (): void => {
    connections.closeAll();
    sessions?.closeAll();
    for (const socket of sockets) socket.destroy();
  };
  const stopped = Promise.withResolvers<void>();
  let closed: Promise<void> | undefined;
  return async ({ notice = 0, grace = 10_000 } = {}) => {
    integer("notice", notice, longestTimer);
    integer("grace", grace, longestTimer);
    connections.startClosing();
    sessions?.startClosing();
    if (notice > 0) await noticeOver(notice, stopped.promise);
    closed ??= shutDown(listener, connections, sessions);
    stopped.resolve();
    const deadline = setTimeout(cut, grace);
    await closed;
    clearTimeout(deadline);
  };
}

/** Resolves after the notice, or when another call has ended it. */
async function noticeOver(notice: number, stopped: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, notice);
  await Promise.race([over.promise, stopped]);
  clearTimeout(timer);
}

function shutDown({ server }: Listener, connections: Connections, sessions: Http2Sessions | undefined): Promise<void> {
  return new Promise((resolve) => {
    stopListening(server, () => {
      // There is no connection left to destroy; it stops the timer that looks for late requests.
      server.close();
      resolve();
    });
    // By the second turn of the event loop, requests that had arrived have been read, and are not idle.
    setImmediate(() =>
      setImmediate(() => {
        connections.closeIdle();
        // Those that have come since the first time.
        sessions?.startClosing();
      }),
    );
  });
}
