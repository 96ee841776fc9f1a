import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Awaitable } from "../filter.ts";
import type { HttpResponse } from "../response.ts";
import { endAfter, lastMessage, watchHalfClosed } from "./closing.ts";
import type { ServeSettings } from "./options.ts";

/** What a connection knows of its server. */
interface ConnectionServer {
  /** Whether the server is shutting down. */
  readonly closing: boolean;
  /** How long the rest of what a client sends is taken after a refusal that ends its connection, in milliseconds. */
  readonly linger: number;
  /** For how long nothing may be sent to a client that sends nothing more, in milliseconds; 0 for any time. */
  readonly writeTimeout: number;
}

/**
 * One connection, and on it the responses that are not yet done: still to be begun, waited for, or not yet taken by the
 * client. A response that was made and sent in one go is never among them.
 */
class Connection {
  readonly socket: Socket;
  readonly #server: ConnectionServer;
  /** In the order of their requests. */
  readonly #pending = new Set<ServerResponse>();
  #waiting: readonly Waiting[] = [];
  #requests = 0;
  #refused = false;

  constructor(socket: Socket, server: ConnectionServer) {
    this.socket = socket;
    this.#server = server;
  }

  get idle(): boolean {
    return this.#pending.size === 0;
  }

  /** Whether a refusal ends it: what comes behind is not answered. */
  get refused(): boolean {
    return this.#refused;
  }

  /** The pending response whose request has not yet come whole. */
  get incomplete(): ServerResponse | undefined {
    const last = this.#last();
    return last?.req.complete === false ? last : undefined;
  }

  /** Counts a request, and gives its number on this connection. */
  count(): number {
    return ++this.#requests;
  }

  /** Counts the response as pending until it closes. */
  hold(response: ServerResponse): void {
    if (this.#pending.has(response)) return;
    this.#pending.add(response);
    response.once("close", () => {
      this.#pending.delete(response);
      this.#startWaiting();
      // Its head may have promised to keep the connection, from before the shutdown.
      if (this.#server.closing && this.idle && !this.#refused) this.socket.destroySoon();
    });
  }

  /** The client sends nothing more: it waits for what is pending, or has gone. */
  inputEnded(): void {
    if (!this.idle) watchHalfClosed(this.socket, this.#pending, this.#server.writeTimeout);
  }

  /** Lets go of what is pending, when the socket is closed: Node forgets those behind a request that takes it over. */
  abandon(): void {
    for (const response of this.#pending) if (response.socket === null) response.destroy();
  }

  /**
   * Starts answering, or waits until those before are answered: requests are processed in their order, unless all of them
   * are safe (RFC 9112 §9.3.2).
   */
  inTurn(response: ServerResponse, start: () => void): void {
    if (this.#waiting.length === 0 && this.#mayStart(response)) {
      start();
      return;
    }
    this.hold(response);
    this.#waiting = [...this.#waiting, { response, start }];
    // Node reads on with each message that is complete, so it is stopped when all that has come is parsed. Not at the
    // first: who does not read does not see that the client has gone.
    setImmediate(() => {
      if (this.#waiting.length > mostWaiting) this.socket.pause();
    });
  }

  /**
   * Sends the refusal after the responses that are pending, and closes.
   *
   * @param refusal must not reject
   * @param own the response of the message that is refused, when Node has made one
   */
  refuse(refusal: Awaitable<HttpResponse>, own?: ServerResponse): void {
    if (this.#refused) return;
    this.#refused = true;
    this.#waiting = this.#waiting.filter(({ response }) => response !== own);
    // By the next turn, a response that was sent in one go is done, and not in the way of this one.
    setImmediate(() => {
      const before = this.#last(own);
      const end = async (): Promise<void> => this.#end(await refusal, own);
      if (before === undefined) void end();
      else before.once("close", end);
    });
  }

  /** Calls back when nothing is pending. */
  whenIdle(done: () => void): void {
    setImmediate(() => {
      const last = this.#last();
      if (last === undefined) done();
      else last.once("close", () => this.whenIdle(done));
    });
  }

  #last(except?: ServerResponse): ServerResponse | undefined {
    return [...this.#pending].findLast((response) => response !== except);
  }

  #end(refusal: HttpResponse, own: ServerResponse | undefined): void {
    const { socket } = this;
    if (!socket.writable) socket.destroy();
    else if (own?.headersSent !== true) {
      endAfter(socket, lastMessage(refusal, own?.req.method === "HEAD"), this.#server.linger);
    } else if (own.req.httpVersionMinor === 0) {
      // To HTTP/1.0, content that ends with the connection is whole unless the connection breaks (RFC 9112 §8).
      socket.resetAndDestroy();
    } else endAfter(socket, "", this.#server.linger);
  }

  #mayStart(response: ServerResponse): boolean {
    let before = 0;
    for (const other of this.#pending) {
      if (other === response) break;
      if (other.writableEnded) continue;
      if (++before === mostAtOnce || !isSafe(other) || !isSafe(response)) return false;
    }
    return true;
  }

  #startWaiting(): void {
    if (this.#waiting.length === 0) return;
    for (;;) {
      const [next, ...rest] = this.#waiting;
      if (next === undefined) break;
      if (!next.response.destroyed && !this.#mayStart(next.response)) return;
      this.#waiting = rest;
      if (!next.response.destroyed) next.start();
      if (rest.length === mostWaiting) this.socket.resume();
    }
  }
}

/** A request that has come before its turn. */
interface Waiting {
  readonly response: ServerResponse;
  readonly start: () => void;
}

/** How many safe requests of a connection are answered at a time. */
const mostAtOnce = 100;
/** How many wait before no more are read. */
const mostWaiting = 100;

const isSafe = ({ req: { method } }: ServerResponse): boolean =>
  method === "GET" || method === "HEAD" || method === "OPTIONS" || method === "TRACE";

/** The open connections of a server. */
export class Connections implements ConnectionServer {
  readonly linger: number;
  readonly writeTimeout: number;
  readonly #open = new Map<Socket, Connection>();
  #closing = false;

  constructor({ drainTimeout, writeTimeout }: Pick<ServeSettings, "drainTimeout" | "writeTimeout">) {
    this.linger = drainTimeout;
    this.writeTimeout = writeTimeout;
  }

  /** Whether the server is shutting down; each response then closes its connection. */
  get closing(): boolean {
    return this.#closing;
  }

  add(socket: Socket): void {
    if (this.#open.has(socket)) return;
    const connection = new Connection(socket, this);
    this.#open.set(socket, connection);
    // Over TLS Node would end the other side with it.
    if (!isHttp2(socket)) socket.allowHalfOpen = true;
    socket.once("end", () => connection.inputEnded());
    socket.once("close", () => {
      this.#open.delete(socket);
      connection.abandon();
    });
  }

  /** Undefined when it is closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Counts the response as pending until it closes. */
  hold(response: ServerResponse): void {
    this.of(response.req.socket)?.hold(response);
  }

  startClosing(): void {
    this.#closing = true;
  }

  /** Closes the connections on which no request is being answered. */
  closeIdle(): void {
    for (const [socket, connection] of this.#open) {
      if (connection.idle && !connection.refused) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}

const isHttp2 = (socket: Socket): boolean => socket instanceof TLSSocket && socket.alpnProtocol === "h2";
