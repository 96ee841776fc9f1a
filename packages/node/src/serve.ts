import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from "node:net";
import type { App } from "waymark";
import { served } from "waymark/internal";
import { limitAddresses } from "./connections/address-limit.ts";
import { connectionOptions } from "./connections/connections.ts";
import { makeContext, requireApp, type ServeContext } from "./exchange/context.ts";
import { speakHttp1 } from "./http1/http1.ts";
import { type ServeOptions, type ServeSettings, type TlsCredentials, toServeSettings } from "./options.ts";
import { type CloseOptions, closer } from "./shut-down.ts";

/** A server that listens. */
export interface RunningServer {
  /** `http://127.0.0.1:8080`, or `https` with TLS, without a slash at the end. A server on every interface is `localhost` here. */
  readonly url: string;
  readonly port: number;
  /** Whether `close` was called: not ready for more, although it still answers. */
  readonly draining: boolean;
  /**
   * Uses another certificate for new connections; open ones keep theirs.
   *
   * @throws TypeError when the server has no TLS; what Node throws when key or certificate is malformed, and keeps the old
   */
  reloadTls(tls: TlsCredentials): void;
  /**
   * Shuts down: every answer closes its connection from now on, and after the notice it takes no new connections, closes
   * the idle ones, and answers what is in hand. Resolves when every connection is closed. Calling it again can shorten
   * the notice and the grace.
   *
   * @throws RangeError (rejects) when the notice or the grace is out of bounds
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Serves an app over HTTP/1.1, and with TLS over HTTP/2 as well. Resolves when it listens.
 *
 * ```ts
 * const server = await serve(router(...routes), { port: 8080 });
 * process.once("SIGTERM", () => server.close());
 * ```
 *
 * @throws RangeError (rejects) when an option is out of its bounds; TypeError when there is no such option, or no app
 * @throws ListenError (rejects) when the port is taken, or cannot be listened on
 */
export async function serve(app: App, options: ServeOptions = {}): Promise<RunningServer> {
  const settings = toServeSettings(options);
  const { host, tls, warn, maxConnections } = settings;
  requireApp("serve", app);
  const context = makeContext(app, settings);
  // TLS, HTTP/2 and node:http are loaded when a server has them.
  const { accept, close: closeEngine } = await openEngine(context);
  const secure = tls && (await import("./secure-server.ts")).makeSecureServer(context, tls, accept);
  const server = secure?.server ?? createServer(connectionOptions, accept);
  // To Node, 0 means no connection at all.
  if (maxConnections > 0) server.maxConnections = maxConnections;
  limitAddresses(server, context);
  if (closeEngine !== undefined) server.once("close", closeEngine);
  const close = closer(server, context, secure);
  await listen(server, settings);
  // From here on an error is a connection that could not be accepted, for want of file descriptors as a rule.
  server.on("error", (error) => app[served].fault(error));
  for (const { message, site } of app.findings ?? []) warn(`${message} (${site})`);
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? "http" : "https"}://${urlHost(host)}:${port}`,
    port,
    get draining() {
      return context.closing;
    },
    reloadTls(credentials) {
      if (secure === undefined) throw new TypeError("A server without TLS has no certificate to reload");
      secure.reload(credentials);
    },
    close,
  };
}

/** Speaks HTTP/1.1 on the connections of a server. */
interface Http1 {
  readonly accept: (socket: Socket) => void;
  /** To be called when no more connections come. */
  readonly close?: () => void;
}

async function openEngine(context: ServeContext): Promise<Http1> {
  if (context.engine === "waymark") return { accept: speakHttp1(context) };
  const { NodeHttpEngine } = await import("./node-http/engine.ts");
  const engine = new NodeHttpEngine(context);
  return { accept: (socket) => !socket.destroyed && engine.accept(socket), close: () => engine.close() };
}

/** New connections that may wait to be accepted, of which Node.js accepts one in each turn; clients beyond it try again after a second. */
const backlog = 128;

function listen(server: Server, { port, host }: ServeSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(new ListenError(host, port, error));
    server.once("error", onError);
    server.listen({ port, host, backlog }, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return isIPv6(host) ? `[${host}]` : host;
}

/** Names the reason why a server cannot listen. */
export type ListenFailure = "port-taken" | "port-forbidden" | "host-unknown" | "listen-failed";

/** Thrown if a server cannot listen. The message says what to do. */
export class ListenError extends Error {
  readonly code: ListenFailure;
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const [code, advice] = explain(cause.code, host, port);
    super(advice, { cause });
    this.name = "ListenError";
    this.code = code;
    this.host = host;
    this.port = port;
  }
}

function explain(code: string | undefined, host: string, port: number): readonly [ListenFailure, string] {
  switch (code) {
    case "EADDRINUSE":
      return ["port-taken", `Port ${port} on ${host} is taken: stop what listens there, or choose another port`];
    case "EACCES":
      return ["port-forbidden", `Port ${port} on ${host} needs privileges: choose a port from 1024 on`];
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return ["host-unknown", `${host} is not an address of this machine: choose one that is, such as 127.0.0.1`];
    default:
      return ["listen-failed", `The server cannot listen on port ${port} of ${host} (${code ?? "unknown error"})`];
  }
}
