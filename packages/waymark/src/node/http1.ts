import type { IncomingMessage, Server } from "node:http";
import type { HttpResponse } from "../response.ts";
import { isPromise } from "../routing/pipeline.ts";
import { handleReceived, refuseReceived } from "../served-app.ts";
import { NodeExchange, type NodeServerResponse, type ServeContext } from "./http1-exchange.ts";
import { fail, send } from "./http1-response.ts";
import { expectationFailed, type HeadRefusal, isContinue, refuseHead } from "./message-head.ts";

/**
 * Has the app answer the server's requests. One that expects `100-continue` comes here too, and is told to continue when
 * its content is first read: what its head alone refuses is refused before the client sends the rest (RFC 9110 §10.1.1).
 */
export function answerRequests(server: Server, context: ServeContext): void {
  const refuseUnsound: Refuse = (response) => refuseHead(response, context);
  const refuseExpectation: Refuse = (response) => refuseUnsound(response) ?? refusedExpectation;
  const listener =
    (awaitsContinue: boolean, refuse: Refuse) =>
    (request: IncomingMessage, response: NodeServerResponse): void =>
      receive(new NodeExchange(request, response, context, awaitsContinue), refuse);
  server.on("request", listener(false, refuseUnsound));
  server.on(
    "checkContinue",
    // Node takes any field in which "100-continue" stands for it.
    listener(true, (response) =>
      (isContinue(response.req.headers.expect) ? refuseUnsound : refuseExpectation)(response),
    ),
  );
  server.on("checkExpectation", listener(false, refuseExpectation));
}

type Refuse = (response: NodeServerResponse) => HeadRefusal | undefined;

function receive(exchange: NodeExchange, refuse: Refuse): void {
  const { native, response, context } = exchange;
  // Responses are sent one after the other: one that has no socket yet is behind another.
  const behind = response.socket === null;
  const connection = behind ? context.connections.of(native.socket) : undefined;
  if (behind && (connection === undefined || connection.refused)) return;
  if (context.maxRequestsPerConnection > 0) {
    const number = context.connections.of(native.socket)?.count() ?? 1;
    if (number > context.maxRequestsPerConnection) return;
    if (number === context.maxRequestsPerConnection) response.shouldKeepAlive = false;
  }
  const refusal = refuse(response);
  if (refusal?.closes === true) {
    const answered = refuseReceived(context.app, exchange, refusal.response);
    (connection ?? context.connections.of(native.socket))?.refuse(answered, response);
  } else if (refusal !== undefined) {
    answer(exchange, refusal.response);
  } else if (connection !== undefined) {
    connection.inTurn(response, () => answer(exchange));
  } else answer(exchange);
}

function answer(exchange: NodeExchange, refusal?: HttpResponse): void {
  try {
    const { app, connections } = exchange.context;
    const response = refusal === undefined ? handleReceived(app, exchange) : refuseReceived(app, exchange, refusal);
    if (isPromise(response)) {
      connections.hold(exchange.response);
      response.then(
        (settled) => send(exchange, settled),
        (error: unknown) => fail(exchange, error),
      );
    } else {
      // A synchronous answer goes out without a promise, which would cost 5 % of the requests a second.
      send(exchange, response);
    }
  } catch (error) {
    fail(exchange, error);
  }
}

// It closes: the content may be held back for an expectation that will not be met.
const refusedExpectation: HeadRefusal = { response: expectationFailed, closes: true };
