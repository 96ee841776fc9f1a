import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isPromise } from "../../pipeline.ts";
import { problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import { type HeadLimits, type HeadRefusal, refuseHead } from "./framing.ts";
import { NodeExchange, type ServeContext } from "./node-request.ts";
import { fail, send } from "./node-response.ts";

/**
 * Has the app answer the server's requests. One that expects `100-continue` comes here too, and is told to continue when
 * its content is first read: what its head alone refuses is refused before the client sends the rest (RFC 9110 §10.1.1).
 */
export function answerRequests(server: Server, context: ServeContext, limits: HeadLimits): void {
  const refuseUnsound: Refuse = (request) => refuseHead(request, limits);
  const refuseExpectation: Refuse = (request) => refuseUnsound(request) ?? expectationFailed;
  const listener =
    (awaitsContinue: boolean, refuse: Refuse) =>
    (request: IncomingMessage, response: ServerResponse): void =>
      answer(new NodeExchange(request, response, context, awaitsContinue), refuse);
  server.on("request", listener(false, refuseUnsound));
  server.on("checkContinue", listener(true, refuseUnsound));
  server.on("checkExpectation", listener(false, refuseExpectation));
}

type Refuse = (request: IncomingMessage) => HeadRefusal | undefined;

function answer(exchange: NodeExchange, refuse: Refuse): void {
  try {
    const refusal = refuse(exchange.native);
    if (refusal !== undefined) {
      if (refusal.closes) exchange.response.shouldKeepAlive = false;
      send(exchange, refusal.response);
      return;
    }
    const { app, connections } = exchange.context;
    const response = app.handle(exchange.receive());
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
const expectationFailed: HeadRefusal = {
  response: problem(problemTypes.expectationFailed, {
    detail: 'The only expectation that can be met is "100-continue".',
  }),
  closes: true,
};
