import { isPromise } from "../and-then.ts";
import { declaredLength, type HttpResponse, isStreamed } from "../response.ts";
import { type BodySource, openBody } from "../response-body.ts";
import type { AdapterExchange } from "./exchange.ts";

/**
 * Sends a body piece by piece, no faster than the client reads. The head is sent with the first piece, so that a body which
 * fails at once can still become another response; an empty first piece sends the head alone.
 *
 * @param fail called with what goes wrong while the client still waits
 */
export function sendPieces(
  exchange: AdapterExchange,
  response: HttpResponse,
  source: BodySource,
  fail: (error: unknown) => void,
): void {
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
    fail(error);
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
      if (isFirst) exchange.sendWhole(response, null, 0);
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

/** Ends the body of a response that is not sent. */
export function cancelBody(exchange: AdapterExchange, { body, headers }: HttpResponse): void {
  try {
    if (isStreamed(body)) endSource(exchange, openBody(body, headers));
  } catch (error) {
    exchange.fault(error);
  }
}
