import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "waymark";
import { headerLists, syntax } from "waymark/internal";
import type { Connection } from "../connections/connections.ts";
import { asksForUpgrade, type Takeover } from "../connections/upgrade.ts";
import type { ServeContext } from "../exchange/context.ts";
import type { NodeExchange } from "../exchange/node-exchange.ts";
import { headTooLong, incomplete, malformedMessage, refusals, refuseMethod } from "../refusals.ts";
import { exchangeOfMessage, NodeHttpMessage } from "./message.ts";

/** Speaks HTTP/1.1 by the parser and the writer of `node:http`, on connections that another server accepts. */
export class NodeHttpEngine implements Connection {
  readonly #context: ServeContext;
  readonly #server: Server;
  readonly #exchanges = new Set<NodeExchange>();
  /** The last exchange of each connection. */
  readonly #last = new WeakMap<Socket, LastExchange>();

  constructor(context: ServeContext) {
    this.#context = context;
    this.#server = createServer(serverOptions(context))
      .on("request", (message, response) => this.#answer(message, response))
      .on("checkContinue", (message, response) => this.#answer(message, response, true))
      .on("checkExpectation", (message, response) => this.#answer(message, response))
      .on("upgrade", (message, socket, head) => this.#upgrade(message, socket as Socket, head)) // a socket of ours
      .on("connect", (message, socket) => this.#refuse(socket as Socket, refusals.tunnel.response, message))
      .on("clientError", (error, socket) => this.#refuse(socket as Socket, toRefusal(error, context)));
    this.#server.maxHeadersCount = 0; // it leaves fields out; here a head with too many is refused
    // From this event on Node watches how long its connections take, until the server is closed.
    this.#server.emit("listening");
    context.connections.add(this);
  }

  /** To be called when no more connections come. */
  close(): void {
    this.#context.connections.delete(this);
    this.#server.close();
  }

  /** Speaks HTTP/1.1 on this connection from now on. */
  accept(socket: Socket): void {
    this.#server.emit("connection", socket);
  }

  look(elapsed: number): void {
    for (const exchange of this.#exchanges) exchange.look(elapsed);
  }

  /** Each response says that it is the last. */
  startClosing(): void {}

  closeIdle(): void {
    this.#server.closeIdleConnections();
  }

  #answer(message: IncomingMessage, response: ServerResponse, awaitsContinue = false): void {
    const { socket } = message;
    // What comes behind the request with which the connection ends is not acted on (RFC 9112 §9.6).
    if (this.#last.get(socket)?.message.isLast) return;
    this.#open(new NodeHttpMessage(message, response, this.#context, socket, { awaitsContinue })).begin();
  }

  /** Answers on a connection that Node does not read any more, or hands it over. */
  #upgrade(message: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#afterLast(socket, () => {
      const response = this.#lastResponse(message, socket);
      const takeOver = (takeover: Takeover, exchange: NodeExchange): void => {
        const { method, target, headers } = exchange;
        response.detachSocket(socket);
        try {
          takeover.handOver(method, target, headers, socket, head);
        } catch (error) {
          exchange.fault(error);
          socket.destroy();
        }
      };
      this.#open(new NodeHttpMessage(message, response, this.#context, socket, { takeOver })).begin();
    });
  }

  #open(message: NodeHttpMessage): NodeExchange {
    const exchange = exchangeOfMessage(message, this.#context);
    this.#exchanges.add(exchange);
    this.#last.set(message.message.socket, { exchange, message });
    exchange.onEnd(() => this.#exchanges.delete(exchange));
    return exchange;
  }

  /** Answers what cannot be read on, in its turn, and ends the connection. */
  #refuse(socket: Socket, refusal: HttpResponse | undefined, message: IncomingMessage = unreadMessage(socket)): void {
    const last = this.#last.get(socket);
    if (refusal === undefined) socket.destroy();
    else if (last?.exchange.isOver === false && !last.message.isComplete) {
      last.message.close();
      last.exchange.answerInstead(refusal);
    } else if (last?.message.isLast !== true) {
      this.#afterLast(socket, () => {
        const response = this.#lastResponse(message, socket);
        this.#open(new NodeHttpMessage(message, response, this.#context, socket)).answer(refusal);
      });
    }
  }

  /** Calls back when the requests before are answered; never, when the connection ends with one of the answers. */
  #afterLast(socket: Socket, done: () => void): void {
    const last = this.#last.get(socket);
    if (last === undefined || last.exchange.isOver) done();
    else last.exchange.onEnd((isSent) => isSent && !last.message.isLast && done());
  }

  /** Makes a response on a connection that Node does not read any more, and that ends with it. */
  #lastResponse(message: IncomingMessage, socket: Socket): ServerResponse {
    const response = new ServerResponse(message);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => {
      response.detachSocket(socket);
      // A connection that is closed on bytes not read is reset, and the client may lose the answer (RFC 9112 §9.6).
      socket.end();
      socket.resume();
      const late = setTimeout(() => socket.destroy(), this.#context.drainTimeout);
      socket.once("close", () => clearTimeout(late));
    });
    return response;
  }
}

interface LastExchange {
  readonly exchange: NodeExchange;
  readonly message: NodeHttpMessage;
}

const serverOptions = (context: ServeContext): ServerOptions => ({
  headersTimeout: context.headersTimeout,
  requestTimeout: context.requestTimeout,
  keepAliveTimeout: context.keepAliveTimeout,
  connectionsCheckingInterval: context.connections.interval,
  // What is a little too long gets its own answer, and what is far too long one to all of the head.
  maxHeaderSize: 2 * (context.maxHeaderSize + context.maxTargetLength),
  requireHostHeader: false, // so that the refusal of one without is as all others are
  shouldUpgradeCallback: ({ rawHeaders }) => asksForUpgrade(headerLists.parsedHeaders(rawHeaders)),
});

/** Stands for a message whose head cannot be read. */
function unreadMessage(socket: Socket): IncomingMessage {
  const message = new IncomingMessage(socket);
  return Object.assign(message, { method: "", url: "*", httpVersionMajor: 1, httpVersionMinor: 1, complete: true });
}

/** What `node:http` says of a message that it cannot read. */
interface ParseError extends NodeJS.ErrnoException {
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Returns the refusal for what Node says is wrong; undefined where nobody waits for one. */
function toRefusal(error: ParseError, context: ServeContext): HttpResponse | undefined {
  switch (error.code) {
    case "HPE_INVALID_METHOD":
      return refuseMethodIn(error) ?? malformedMessage("The request line has no method.").response;
    case "HPE_HEADER_OVERFLOW":
      return headTooLong(context.maxHeaderSize).response;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return incomplete.late;
    case "HPE_INVALID_EOF_STATE":
      return incomplete.ended;
    case "HPE_INVALID_VERSION":
      return refusals.version.response;
    default:
      return error.code?.startsWith("HPE_")
        ? malformedMessage(`${error.reason ?? error.message}.`).response
        : undefined;
  }
}

/** Returns the refusal of a method that HTTP does not have: Node stops at a letter of it, and says no more. */
function refuseMethodIn({ rawPacket = Buffer.of(), bytesParsed = 0 }: ParseError): HttpResponse | undefined {
  const start = rawPacket.lastIndexOf(0x0a, bytesParsed) + 1;
  const [method = "", target] = rawPacket.toString("latin1", start, rawPacket.indexOf("\r\n", start)).split(" ");
  return syntax.isToken(method) && target !== undefined ? refuseMethod(method).response : undefined;
}
