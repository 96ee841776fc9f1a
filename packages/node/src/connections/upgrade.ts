import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { type HttpRequest, HttpResponse, problem } from "waymark";
import { HeaderList } from "waymark/fields";
import { connectionProblemTypes } from "../problem-types.ts";

/** A connection that has been handed over, with what libraries for Node ask for. */
export interface UpgradedConnection {
  readonly request: HttpRequest;
  /** The head of the request as `node:http` has it. */
  readonly message: IncomingMessage;
  /** The connection, on which nothing has been answered. It is not `readable` any more when the client has ended its side. */
  readonly socket: Socket;
  /** What the client has sent behind the request, perhaps nothing. */
  readonly head: Buffer;
}

/**
 * Speaks the other protocol: answers with 101 (RFC 9110 §15.2.2), and ends the connection some day. It must listen to the
 * socket before it returns, or what arrives is lost.
 */
export type UpgradeHandler = (connection: UpgradedConnection) => void;

/**
 * Makes a handler that hands the connection over to speak another protocol, once the filters have let the request through. A
 * request that does not ask for the protocol is answered with 426, and so is every one that has not come over HTTP/1.1 by
 * `serve`.
 *
 * ```ts
 * const sockets = new WebSocketServer({ noServer: true });   // of the package ws
 * GET("/chat", upgrade("websocket", ({ message, socket, head }) =>
 *   sockets.handleUpgrade(message, socket, head, (client) => client.send("hello"))));
 * ```
 *
 * @param protocol as Upgrade names it (RFC 9110 §7.8)
 */
export function upgrade(protocol: string, handler: UpgradeHandler): (request: HttpRequest) => HttpResponse {
  const required = problem(connectionProblemTypes.upgradeRequired, {
    detail: `The resource uses the protocol ${protocol}.`,
  }).withHeader("Upgrade", protocol);
  return (request) => {
    const isWanted = request.header("Upgrade")?.toLowerCase() === protocol.toLowerCase();
    if (!isWanted || !asksForUpgrade(request.headers) || !(request.native instanceof Socket)) return required;
    return new HttpResponse(200, HeaderList.empty, new Takeover(request, handler));
  };
}

/** Whether the fields ask for another protocol, on a connection that can be handed over: no content is behind them. */
export function asksForUpgrade(headers: HeaderList): boolean {
  if (headers.has("Content-Length") || headers.has("Transfer-Encoding")) return false;
  return /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i.test(headers.get("Connection") ?? "") && headers.has("Upgrade");
}

/** Stands for the body where a connection is handed over instead of a response. To any other sender it has no content. */
export class Takeover implements Iterable<never> {
  readonly #request: HttpRequest;
  readonly #handler: UpgradeHandler;

  constructor(request: HttpRequest, handler: UpgradeHandler) {
    this.#request = request;
    this.#handler = handler;
  }

  *[Symbol.iterator](): Generator<never> {}

  /** Hands over the connection of the request, as it was sent. */
  handOver(method: string, target: string, headers: HeaderList, socket: Socket, head: Buffer): void {
    // Node's HTTP is loaded when somebody needs it, since that takes a third of the time that `@waymark/node` takes to load.
    const http = process.getBuiltinModule("node:http");
    const message = new http.IncomingMessage(socket);
    message.method = method;
    message.url = target;
    message.httpVersion = "1.1";
    message.httpVersionMajor = 1;
    message.httpVersionMinor = 1;
    message.rawHeaders = [...headers.flat];
    const names = new Set([...headers].map(([name]) => name.toLowerCase()));
    message.headers = Object.fromEntries([...names].map((name) => [name, headers.get(name)]));
    this.#handler({ request: this.#request, message, socket, head });
  }
}
