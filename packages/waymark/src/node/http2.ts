import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { andThen } from "../and-then.ts";
import { problem } from "../problem.ts";
import type { HttpResponse } from "../response.ts";
import { handleReceived, refuseReceived } from "../served-app.ts";
import { Http2Exchange, readHttp2Head, refuseHttp2Head } from "./http2-exchange.ts";
import { failHttp2, sendHttp2 } from "./http2-response.ts";
import type { ServeContext } from "./options.ts";
import { connectionProblemTypes } from "./problem-types.ts";

/** Has the app answer the streams of a session of HTTP/2. */
export function answerHttp2(session: ServerHttp2Session, context: ServeContext): void {
  session.on("stream", (stream: ServerHttp2Stream, _headers: unknown, _flags: number, raw: string[]) => {
    // An error of the stream closes it, and that is heard.
    stream.on("error", () => undefined);
    if (stream.destroyed || stream.closed) return;
    if (context.closing) session.close();
    const head = readHttp2Head(raw);
    const exchange = new Http2Exchange(stream, head, context);
    if (context.requestTimeout > 0 && !stream.endAfterHeaders) limitContent(exchange, context.requestTimeout);
    const refusal = refuseHttp2Head(head, context);
    answer(exchange, refusal);
  });
}

function answer(exchange: Http2Exchange, refusal?: HttpResponse): void {
  try {
    const { app } = exchange.context;
    const response = refusal === undefined ? handleReceived(app, exchange) : refuseReceived(app, exchange, refusal);
    andThen(
      response,
      (settled) => sendHttp2(exchange, settled),
      (error) => failHttp2(exchange, error),
    );
  } catch (error) {
    failHttp2(exchange, error);
  }
}

function limitContent(exchange: Http2Exchange, timeout: number): void {
  const { native } = exchange;
  const timer = setTimeout(() => {
    if (native.headersSent) native.close(constants.NGHTTP2_CANCEL);
    else answer(exchange, late);
  }, timeout);
  const stop = (): void => clearTimeout(timer);
  native.once("end", stop).once("close", stop);
}

const late = problem(connectionProblemTypes.requestTimeout);
