import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isPromise } from "../../pipeline.ts";
import { problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import type { HttpResponse } from "../../response.ts";
import { refuseFraming } from "./framing.ts";
import { NodeExchange, type ServeContext } from "./node-request.ts";
import { fail, send } from "./node-response.ts";

/**
 * Has the app answer the server's requests. One that expects `100-continue` comes here too, and is told to continue when
 * its content is first read: what its head alone refuses is refused before the client sends the rest (RFC 9110 §10.1.1).
 */
export function answerRequests(server: Server, context: ServeContext): void {
  const listener =
    (awaitsContinue: boolean, refuse: Refuse) =>
    (request: IncomingMessage, response: ServerResponse): void =>
      answer(new NodeExchange(request, response, context, awaitsContinue), refuse);
  server.on("request", listener(false, refuseFraming));
  server.on("checkContinue", listener(true, refuseFraming));
  server.on("checkExpectation", listener(false, refuseExpectation));
}

type Refuse = (request: IncomingMessage) => HttpResponse | undefined;

function answer(exchange: NodeExchange, refuse: Refuse): void {
  try {
    const refusal = refuse(exchange.native);
    if (refusal !== undefined) {
      // Where the next message begins is in doubt, or the content is held back for an expectation that will not be met.
      exchange.response.shouldKeepAlive = false;
      send(exchange, refusal);
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

const refuseExpectation: Refuse = (request) => refuseFraming(request) ?? expectationFailed;

const expectationFailed = problem(problemTypes.expectationFailed, {
  detail: 'The only expectation that can be met is "100-continue".',
});
