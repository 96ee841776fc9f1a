import { type BodySource, openBody, type Piece } from "../body/response-body.ts";
import { declaredLength } from "../body/sent-fields.ts";
import { isPromise } from "../common/and-then.ts";
import { type HttpResponse, isStreamed } from "../response.ts";

/** Sends a response, whole or in pieces. */
export interface StreamSender {
  /** Goes on with a streamed body that is being sent; to be called when there is room again. */
  resumeSending: (() => void) | undefined;
  /** Ends a streamed body that is being sent. */
  stopSending: (() => void) | undefined;
  readonly platform: { pause(): Promise<void> };
  /**
   * Sends the head and the content, and ends the response.
   *
   * @param content null when no content is sent, whatever the length says
   * @param length the Content-Length; undefined to send none
   * @throws TypeError when a field cannot be sent; nothing has been sent then
   */
  sendWhole(response: HttpResponse, content: null | string | Uint8Array, length: number | undefined): void;
  /** Sends the head of a response that comes in pieces, at the latest with the first piece; throws as `sendWhole` does. */
  sendHead(response: HttpResponse, length: number | undefined): void;
  /** Sends a piece, which may be empty; returns whether there is room for more. */
  sendPiece(piece: Piece): boolean;
  /** Ends a response that came in pieces. */
  finish(): void;
  /** Reports an error that the response cannot. */
  fault(error: unknown): void;
}

/**
 * Sends a body piece by piece, no faster than the client reads. The head is sent with the first piece, so that a body which
 * fails at once can still become another response; an empty first piece sends the head alone.
 *
 * @param fail called with what goes wrong while the client still waits
 */
export function sendPieces(
  sender: StreamSender,
  response: HttpResponse,
  source: BodySource,
  fail: (error: unknown) => void,
): void {
  const progress = { isStopped: false };
  sender.stopSending = () => {
    sender.stopSending = undefined;
    progress.isStopped = true;
    endSource(sender, source);
    sender.resumeSending?.();
  };
  writePieces(sender, response, source, progress).catch((error: unknown) => {
    if (progress.isStopped) return;
    sender.stopSending?.();
    fail(error);
  });
}

async function writePieces(
  sender: StreamSender,
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
      sender.stopSending = undefined;
      if (isFirst) sender.sendWhole(response, null, 0);
      else sender.finish();
      return;
    }
    if (isFirst) sender.sendHead(response, declaredLength(response.headers));
    const hasRoom = sender.sendPiece(value);
    if (!hasRoom) await room(sender, progress);
    if (!hasRoom || performance.now() - turned > longestTurn) {
      await sender.platform.pause();
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
function room(sender: StreamSender, progress: { readonly isStopped: boolean }): Promise<void> {
  return new Promise((resolve) => {
    if (progress.isStopped) resolve();
    else {
      sender.resumeSending = () => {
        sender.resumeSending = undefined;
        resolve();
      };
    }
  });
}

function endSource(sender: StreamSender, source: BodySource): void {
  source.cancel().catch((error: unknown) => sender.fault(error));
}

/** Ends the body of a response that is not sent. */
export function cancelBody(sender: StreamSender, { body, headers }: HttpResponse): void {
  try {
    if (isStreamed(body)) endSource(sender, openBody(body, headers));
  } catch (error) {
    sender.fault(error);
  }
}
