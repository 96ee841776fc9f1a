import { createServer, type Server } from "node:http";
import { type AddressInfo, isIPv6, Server as NetServer, type Socket } from "node:net";
import type { ServedApp } from "../served-app.ts";
import { answerRequests } from "./answer-requests.ts";
import { clientErrorListener } from "./client-error.ts";
import { Connections } from "./connections.ts";
import { ignoreUpgrades, mayHandOver } from "./ignore-upgrades.ts";
import { ListenError } from "./listen-error.ts";
import { refuseTunnels } from "./refuse-tunnels.ts";
import { integer, longestTimer, type ServeOptions, toServeSettings } from "./serve-options.ts";

/** A server that listens. */
export interface RunningServer {
  /** `http://127.0.0.1:8080`, without a slash at the end. A server on every interface is `localhost` here. */
  readonly url: string;
  readonly port: number;
  /** Whether it is shutting down, from the call of `close` on: no longer ready for more, though it answers what comes. */
  readonly draining: boolean;
  /**
   * Shuts down: every answer closes its connection from now on, and after the notice it takes no new connections, closes
   * the idle ones, and answers what is in hand. Resolves when every connection is closed. Calling it again can shorten
   * the notice and the grace.
   *
   * @throws RangeError (rejects) when the notice or the grace is out of bounds
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * How long it still takes connections: 0…2,147,483,647 ms. For those who send it requests to see that it is no longer
   * ready and go elsewhere. Default: 0.
   */
  readonly notice?: number;
  /** How long to wait for what is in hand before its connections are destroyed: 0…2,147,483,647 ms. Default: 10,000. */
  readonly grace?: number;
}

/**
 * Serves an app over HTTP/1.1. Resolves when it listens.
 *
 * ```ts
 * const server = await serve(router(...routes), { port: 8080 });
 * process.once("SIGTERM", () => server.close());
 * ```
 *
 * @throws RangeError (rejects) when an option is out of its bounds
 * @throws ListenError (rejects) when the port is taken, or cannot be listened on
 */
export async function serve(app: ServedApp, options: ServeOptions = {}): Promise<RunningServer> {
  const settings = toServeSettings(options);
  const { host, drainTimeout } = settings;
  const connections = new Connections(drainTimeout);
  const server = makeServer(settings);
  server.on("connection", (socket: Socket) => connections.add(socket));
  server.on("clientError", clientErrorListener(connections, settings));
  answerRequests(server, { ...settings, app, connections });
  refuseTunnels(server, connections);
  ignoreUpgrades(server, connections);
  await listen(server, settings.port, host);
  // From here on an error is a connection that could not be accepted, for want of file descriptors as a rule.
  server.on("error", (error) => app.fault(error));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${urlHost(host)}:${port}`,
    port,
    get draining() {
      return connections.closing;
    },
    close: closer(server, connections),
  };
}

function makeServer(settings: Required<ServeOptions>): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = settings;
  const server = createServer({
    // For both, so that which of them is too long can be told; refuseHead tells.
    maxHeaderSize: settings.maxHeaderSize + settings.maxTargetLength,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    // Late by no more than the timeout itself.
    connectionsCheckingInterval: Math.min(30_000, headersTimeout || 30_000, requestTimeout || 30_000),
    // 4 to 9 % more requests a second. It is why nothing may read a request that has no content.
    optimizeEmptyRequests: true,
    // Refused by refuseHead, with a document.
    requireHostHeader: false,
    rejectNonStandardBodyWrites: true,
    shouldUpgradeCallback: mayHandOver,
  });
  // Node drops fields past the first 1000 without a word; the limit of bytes bounds them already, and refuseHead counts.
  server.maxHeadersCount = 0;
  // To Node, 0 is none at all.
  if (settings.maxConnections > 0) server.maxConnections = settings.maxConnections;
  return server;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(new ListenError(host, port, error));
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return isIPv6(host) ? `[${host}]` : host;
}

function closer(server: Server, connections: Connections): RunningServer["close"] {
  const stopped = Promise.withResolvers<void>();
  let closed: Promise<void> | undefined;
  return async ({ notice = 0, grace = 10_000 } = {}) => {
    integer("notice", notice, longestTimer);
    integer("grace", grace, longestTimer);
    connections.startClosing();
    if (notice > 0) await noticeOver(notice, stopped.promise);
    closed ??= shutDown(server, connections);
    stopped.resolve();
    const deadline = setTimeout(() => connections.closeAll(), grace);
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

function shutDown(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    // Not the HTTP server's own close, which destroys connections whose responses are made but not yet sent.
    NetServer.prototype.close.call(server, () => {
      // There is no connection left to destroy; it stops the timer that looks for late requests.
      server.close();
      resolve();
    });
    // By the second turn of the event loop, requests that had arrived have been read, and are not idle.
    setImmediate(() => setImmediate(() => connections.closeIdle()));
  });
}
