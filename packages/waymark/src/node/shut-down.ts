import { type Listener, openSockets } from "./listener.ts";
import { integer, longestTimer, type ServeContext } from "./options.ts";

/** Lists the options of `RunningServer.close`. */
export interface CloseOptions {
  /** How long new connections are still accepted, 0…2,147,483,647 ms, so that load balancers notice first. Default: 0. */
  readonly notice?: number;
  /** How long requests in progress may take before they are cut, 0…2,147,483,647 ms. Default: 10,000. */
  readonly grace?: number;
}

/** Makes the function that shuts a listener down (`RunningServer.close`). To be called before the listener listens. */
export function closer(listener: Listener, context: ServeContext): (options?: CloseOptions) => Promise<void> {
  const { http2 } = listener;
  const sockets = openSockets(listener);
  const cut = (): void => {
    http2?.closeAll();
    for (const socket of sockets) socket.destroy();
  };
  const stopped = Promise.withResolvers<void>();
  let closed: Promise<void> | undefined;
  return async ({ notice = 0, grace = 10_000 } = {}) => {
    integer("notice", notice, longestTimer);
    integer("grace", grace, longestTimer);
    context.closing = true;
    http2?.startClosing();
    if (notice > 0) await noticeOver(notice, stopped.promise);
    context.draining.begin();
    closed ??= shutDown(listener);
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

function shutDown({ server, http1, http2 }: Listener): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // By the second turn of the event loop, requests that had arrived have been read, and are not idle.
    setImmediate(() =>
      setImmediate(() => {
        http1.closeIdle();
        // Those that have come since the first time.
        http2?.startClosing();
      }),
    );
  });
}
