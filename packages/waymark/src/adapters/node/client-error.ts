import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import type { HttpResponse } from "../../response.ts";
import { connectionProblemTypes } from "./connection-problem-types.ts";
import type { Connections } from "./connections.ts";

/**
 * The listener for a server's `clientError`: what Node's parser refuses is answered with a problem document, in its turn
 * after the answers to the requests before it, and the connection is closed.
 *
 * @param linger how long the rest of what the client sends is still taken, in milliseconds, so that it gets the answer
 */
export function clientErrorListener(
  connections: Connections,
  linger: number,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  // A parser that has failed reports whatever arrives after.
  const refused = new WeakSet<Socket>();
  return (error, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const refusal = toRefusal(error.code ?? "");
    if (refusal === undefined) {
      socket.destroy();
      return;
    }
    const pending = connections.pending(socket);
    // The last request may be the one at fault, in its content; the ones before it are sound.
    const own = pending.at(-1)?.req.complete === false ? pending.at(-1) : undefined;
    const refuse = (): void => {
      if (own?.headersSent || !socket.writable) {
        socket.destroy();
        return;
      }
      socket.end(toMessage(refusal));
      const timer = setTimeout(() => socket.destroy(), linger);
      socket.once("close", () => clearTimeout(timer));
    };
    const before = pending.at(own === undefined ? -1 : -2);
    if (before === undefined || before === own) refuse();
    else before.once("close", refuse);
  };
}

/** Undefined when it is the connection that broke, and nobody would hear an answer. */
function toRefusal(code: string): HttpResponse | undefined {
  switch (code) {
    case "HPE_INVALID_METHOD":
      return refusals.method;
    case "HPE_INVALID_VERSION":
      return refusals.version;
    case "HPE_HEADER_OVERFLOW":
      return refusals.head;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusals.timeout;
    default:
      return code.startsWith("HPE_") ? refusals.malformed : undefined;
  }
}

/** The response as the bytes of a message: there is no request, so Node has no response object for it. */
function toMessage({ status, headers, body }: HttpResponse): string {
  // A problem's body is text in ASCII.
  const text = body as string;
  const fields = [
    ...headers,
    ["Content-Length", text.length],
    ["Date", new Date().toUTCString()],
    ["Connection", "close"],
  ];
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

const refusals = {
  malformed: problem(connectionProblemTypes.malformedMessage, {
    detail: "The bytes received are not a message of HTTP/1.1.",
  }),
  method: problem(problemTypes.notImplemented),
  version: problem(connectionProblemTypes.versionNotSupported),
  head: problem(connectionProblemTypes.headTooLarge),
  timeout: problem(connectionProblemTypes.requestTimeout),
};
