import { type Awaitable, andThen, isPromise } from "../and-then.ts";
import { parseTarget, type RequestTarget } from "../path/target.ts";
import { HttpError, internalError } from "../problem.ts";
import type { HttpResponse } from "../response.ts";
import { type BodySource, declaredLength, hasNoContent, isStreamed, openBody, unsentLength } from "../response-body.ts";
import type { AdapterExchange } from "./exchange.ts";

/**
 * Has the app answer the exchange; never throws.
 *
 * @param settle takes the answer, at once when the app is synchronous
 * @param refusal answers in place of a handler, as the web filters leave it
 */
export function answer(
  exchange: AdapterExchange,
  settle: (answer: HttpResponse) => void,
  refusal?: HttpResponse,
): void {
  const fail = (error: unknown): void => {
    exchange.fault(error);
    settle(internalError);
  };
  try {
    // A synchronous answer goes out without a promise, which would cost 5 % of the requests a second.
    andThen(handle(exchange, refusal), settle, fail);
  } catch (error) {
    fail(error);
  }
}

/** A malformed message or target reaches only the web filters, which see it as `*`. */
function handle(exchange: AdapterExchange, refusal: HttpResponse | undefined): Awaitable<HttpResponse> {
  const { app } = exchange;
  if (refusal !== undefined) return app.refuse(exchange.receive(noPath), refusal, "message");
  let target: RequestTarget;
  try {
    target = parseTarget(exchange.target);
  } catch (error) {
    if (error instanceof HttpError) return app.refuse(exchange.receive(noPath), error.response, "target");
    throw error;
  }
  return app.answer(exchange.receive(target));
}

const noPath: RequestTarget = { path: "*", search: "" };

/** Sends the response. Whatever goes wrong becomes a 500, or a response that is cut once the head is out; never throws. */
export function send(exchange: AdapterExchange, response: HttpResponse): void {
  try {
    const { status, body } = response;
    if (exchange.isOver) cancelBody(exchange, response);
    else if (!isStreamed(body)) sendWhole(exchange, response, body);
    else if (hasNoContent(exchange.method, status)) {
      cancelBody(exchange, response);
      sendWhole(exchange, response, null);
    } else sendPieces(exchange, response, openBody(body, response.headers));
  } catch (error) {
    fail(exchange, error);
  }
}

/** Ends the body of a response that is not sent. */
export function cancelBody(exchange: AdapterExchange, { body, headers }: HttpResponse): void {
  try {
    if (isStreamed(body)) endSource(exchange, openBody(body, headers));
  } catch (error) {
    exchange.fault(error);
  }
}

function fail(exchange: AdapterExchange, error: unknown): void {
  // What fails once the client has gone is how its work was stopped.
  if (exchange.isOver) return;
  if (error instanceof HttpError && !exchange.headSent) {
    send(exchange, error.response);
    return;
  }
  exchange.fault(error);
  if (exchange.headSent) exchange.cut();
  else sendWhole(exchange, internalError, internalError.body as string); // a problem document is text
}

function sendWhole(exchange: AdapterExchange, response: HttpResponse, body: null | string | Uint8Array) {
  const { byteLength } = exchange.platform;
  if (hasNoContent(exchange.method, response.status)) {
    exchange.sendWhole(response, null, unsentLength(response, byteLength));
  } else {
    const length = typeof body === "string" ? byteLength(body) : (body?.byteLength ?? 0);
    exchange.sendWhole(response, body, length);
  }
}

/**
 * Sends a body piece by piece, no faster than the client reads. The head is sent with the first piece, so that a body which
 * fails at once can still become another response; an empty first piece sends the head alone.
 */
function sendPieces(exchange: AdapterExchange, response: HttpResponse, source: BodySource): void {
  const progress = { isStopped: false };
  exchange.stopSending = () => {
    exchange.stopSending = undefined;
    progress.isStopped = true;
    endSource(exchange, source);
    exchange.resumeSending?.();
  };
  writePieces(exchange, response, source, progress).catch((error: unknown) => {
    if (progress.isStopped) return;
    exchange.stopSending?.();
    fail(exchange, error);
  });
}

async function writePieces(
  exchange: AdapterExchange,
  response: HttpResponse,
  source: BodySource,
  progress: { readonly isStopped: boolean },
): Promise<void> {
  let step = source.next();
  let turned = performance.now();
  for (let isFirst = true; ; isFirst = false) {
    const { done, value } = isPromise(step) ? await step : step;
    if (progress.isStopped) return;
    if (done === true) {
      exchange.stopSending = undefined;
      if (isFirst) sendWhole(exchange, response, null);
      else exchange.finish();
      return;
    }
    if (isFirst) exchange.sendHead(response, declaredLength(response.headers));
    const hasRoom = exchange.sendPiece(value);
    if (!hasRoom) await room(exchange, progress);
    if (!hasRoom || performance.now() - turned > longestTurn) {
      await exchange.platform.pause();
      turned = performance.now();
    }
    if (progress.isStopped) return;
    step = source.next();
  }
}

// A body that never waits, and a client that takes whatever comes, would keep the process to themselves: neither promises
// nor room for more let the event loop turn. So it turns whenever the buffer was full (64 KiB, some 50 µs of work), and for
// bodies of costly or tiny pieces after this many milliseconds, which is what others wait for at most.
const longestTurn = 2;

/** Resolves when there is room again, or nothing more is to be sent. */
function room(exchange: AdapterExchange, progress: { readonly isStopped: boolean }): Promise<void> {
  return new Promise((resolve) => {
    if (progress.isStopped) resolve();
    else {
      exchange.resumeSending = () => {
        exchange.resumeSending = undefined;
        resolve();
      };
    }
  });
}

function endSource(exchange: AdapterExchange, source: BodySource): void {
  source.cancel().catch((error: unknown) => exchange.fault(error));
}
