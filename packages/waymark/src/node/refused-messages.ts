import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { parsedHeaders } from "../fields/header-list.ts";
import type { Awaitable } from "../filter.ts";
import { problem } from "../problem.ts";
import { problemTypes } from "../problem-types.ts";
import { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { canonicalAddress, nodeClient } from "./client.ts";
import type { ServeContext } from "./http1-exchange.ts";
import { type HeadLimits, headTooLong, targetTooLong } from "./message-head.ts";
import { connectionProblemTypes } from "./problem-types.ts";

/**
 * The listener for a server's `clientError`: what Node's parser refuses is answered with a problem document, in its turn
 * after the answers to the requests before it, and the connection is closed.
 */
export function clientErrorListener(context: ServeContext): (error: ParserError, socket: Socket) => void {
  return (error, socket) => {
    // A client that sends more than it has announced: its last answer closes the connection (RFC 9112 §9.6).
    if (error.code === "HPE_CLOSED_CONNECTION") return;
    const refusal = toRefusal(error, context);
    const connection = context.connections.of(socket);
    if (connection === undefined || refusal === undefined) {
      socket.destroy();
      return;
    }
    // A parser that has failed reports whatever arrives after; what has come is still taken, for the sake of the answer.
    if (connection.refused) return;
    const { incomplete } = connection;
    connection.refuse(refuseMessage(context, socket, refusal, incomplete?.req), incomplete);
  };
}

/** What Node tells of an error of its parser. */
interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that were parsed when it happened; the message may have begun before them. */
  readonly rawPacket?: Buffer;
  /** How many of them were sound. */
  readonly bytesParsed?: number;
}

/** Undefined when it is the connection that broke, and nobody would hear an answer. */
function toRefusal(error: ParserError, limits: HeadLimits): HttpResponse | undefined {
  const code = error.code ?? "";
  switch (code) {
    case "HPE_INVALID_METHOD":
      return isRequestLine(error) ? refusals.method : refusals.malformed;
    case "HPE_INVALID_VERSION":
      return refusals.version;
    case "HPE_HEADER_OVERFLOW":
      return isInTarget(error) ? targetTooLong(limits.maxTargetLength) : headTooLong(limits.maxHeaderSize);
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusals.timeout;
    default:
      return code.startsWith("HPE_") ? refusals.malformed : undefined;
  }
}

/** Whether the line at fault begins with what may be a method (RFC 9112 §3.1), as far as it is known. */
function isRequestLine(error: ParserError): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+(?: |$)/.test(lineAtFault(error));
}

/**
 * Whether the line at fault has got no further than the target. Of one that has come in pieces only the last is known, and
 * what has no space and looks like a query is taken for one.
 */
function isInTarget(error: ParserError): boolean {
  return /^(?:[A-Z-]+ [^ ]*|[^ ]*[?&][^ ]*)$/.test(lineAtFault(error));
}

function lineAtFault({ rawPacket, bytesParsed = 0 }: ParserError): string {
  if (rawPacket === undefined) return "";
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf("\n", bytesParsed - 1) + 1;
  const end = rawPacket.indexOf("\r", start);
  return rawPacket.toString("latin1", start, end < 0 ? undefined : end);
}

const refusals = {
  malformed: problem(connectionProblemTypes.malformedMessage, {
    detail: "The bytes received are not a message of HTTP/1.1.",
  }),
  method: problem(problemTypes.notImplemented),
  version: problem(connectionProblemTypes.versionNotSupported),
  timeout: problem(connectionProblemTypes.requestTimeout),
};

/**
 * The refusal of a message that Node makes no exchange of, as the app's web filters leave it. They see the path `*`, and of a
 * message whose head is not known neither method nor fields.
 */
function refuseMessage(
  context: ServeContext,
  socket: Socket,
  refusal: HttpResponse,
  message?: IncomingMessage,
): Awaitable<HttpResponse> {
  const request = HttpRequest.of({
    method: message?.method ?? "",
    target: "*",
    headers: parsedHeaders(message?.rawHeaders ?? []),
    client:
      message === undefined
        ? {
            address: canonicalAddress(socket.remoteAddress ?? ""),
            scheme: socket instanceof TLSSocket ? "https" : "http",
          }
        : nodeClient(message, context),
  });
  return context.app.refuse(request, refusal, "message");
}

/**
 * Answers CONNECT with 501 and closes the connection, of which Node would say nothing (RFC 9110 §9.3.6). What follows it
 * is never read as a request: the client may have meant it for the tunnel.
 */
export function refuseTunnels(server: Server, context: ServeContext): void {
  server.on("connect", (message: IncomingMessage) => {
    const { socket } = message;
    // Node has let go of the socket, its listeners included.
    socket.on("error", () => socket.destroy()).resume();
    context.connections.of(socket)?.refuse(refuseMessage(context, socket, noTunnel, message));
  });
}

const noTunnel = problem(problemTypes.notImplemented, { detail: "The service makes no tunnels." });
