import type { IncomingMessage, RequestListener } from "node:http";
import { duplexPair, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { fallback } from "waymark";
import { sentFields } from "waymark/internal";

/**
 * Makes a fetch handler of a listener of `http.createServer`, such as an application of Express, for `mount` and `fallback`: both speak
 * in one process, over a connection that is in memory.
 *
 * ```ts
 * router(newRoutes, fallback(fromNode(express)));
 * ```
 *
 * The listener sees no address of the client; behind `trustProxy` it has the fields of the proxy.
 *
 * @throws TypeError when it is not a function
 */
export function fromNode(listener: RequestListener): Parameters<typeof fallback>[0] {
  if (typeof listener !== "function")
    throw new TypeError("fromNode(…) takes a listener, such as an application of Express");
  // Few programs need it: an import would take the start of each 20 ms.
  const { createServer, request: sendRequest } = process.getBuiltinModule("node:http");
  // It reads what comes over the connections that it is given, and never listens. The head was bounded before.
  const server = createServer({ maxHeaderSize: largestHead, requestTimeout: 0, headersTimeout: 0 }, listener);
  return (request) => {
    const [near, far] = duplexPair();
    server.emit("connection", far);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { pathname, search, host } = new URL(request.url);
    const outgoing = sendRequest({
      createConnection: () => near,
      maxHeaderSize: largestHead,
      method: request.method,
      path: pathname + search,
      headers: { host, ...Object.fromEntries(request.headers) },
      signal: request.signal,
    });
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => resolve(toResponse(incoming, request.method)));
    // The types of the web and of Node name one class apart.
    const content = request.body as NodeReadableStream<Uint8Array> | null;
    if (content === null) outgoing.end();
    else pipeline(Readable.fromWeb(content), outgoing).catch(reject);
    return promise;
  };
}

function toResponse(incoming: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, rawHeaders } = incoming; // a response has one
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    if (!ofTheConnection.has(name.toLowerCase())) headers.append(name, value);
  }
  if (!sentFields.hasNoContent(method, status))
    return new Response(Readable.toWeb(incoming) as ReadableStream, { status, headers });
  incoming.resume();
  return new Response(null, { status, headers });
}

/** Fields that are about this connection and not about the response (RFC 9110 §7.6.1). */
const ofTheConnection: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** In bytes. */
const largestHead = 65_536;
