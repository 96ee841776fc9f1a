import { createServer, type Server } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { NodeServerResponse, setServerBehaviour } from "./internals.ts";
import { type ServeSettings, type TlsCredentials, toSecureContext } from "./options.ts";
import { mayHandOver } from "./upgrades.ts";

/** What listens: Node's server for HTTP/1.1, which with TLS is its server for HTTP/2 too. */
export interface Listener {
  readonly server: Server;
  /** The same server; undefined without TLS. */
  readonly http2: Http2SecureServer | undefined;
  /** Its event for a connection on which HTTP may be spoken. */
  readonly connectionEvent: "connection" | "secureConnection";
}

/** A listener that does not listen yet. */
export function makeListener(settings: ServeSettings): Listener {
  const { tls, maxConnections } = settings;
  const http2 = tls && makeHttp2Server(settings, tls);
  // To HTTP/1.1 it is what a server of that is: Node gives it the same options, and it has the same events.
  const server = (http2 as unknown as Server | undefined) ?? createServer(http1Options(settings));
  // The server for HTTP/2 would set its own way with upgrades. With half-closed connections allowed, Node closes one after the last
  // answer, and not while the client still waits for it.
  setServerBehaviour(server, mayHandOver);
  // Node drops fields past the first 1000 without a word; the limit of bytes bounds them already, and refuseHead counts.
  server.maxHeadersCount = 0;
  // To Node, 0 is none at all.
  if (maxConnections > 0) server.maxConnections = maxConnections;
  return { server, http2, connectionEvent: http2 === undefined ? "connection" : "secureConnection" };
}

function http1Options({ headersTimeout, requestTimeout, keepAliveTimeout, ...settings }: ServeSettings) {
  return {
    // For both, so that which of them is too long can be told; refuseHead tells.
    maxHeaderSize: settings.maxHeaderSize + settings.maxTargetLength,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    // Late by no more than the timeout itself.
    connectionsCheckingInterval: Math.min(30_000, headersTimeout || 30_000, requestTimeout || 30_000),
    // 4 to 9 % more requests a second. It is why nothing may read a request that has no content.
    optimizeEmptyRequests: true,
    // Refused by refuseHead, with a document.
    requireHostHeader: false,
    rejectNonStandardBodyWrites: true,
    ServerResponse: NodeServerResponse,
  };
}

function makeHttp2Server(settings: ServeSettings, tls: TlsCredentials): Http2SecureServer {
  const { maxHeaderSize, maxTargetLength, maxHeaderFields, maxConcurrentStreams, headersTimeout } = settings;
  return createSecureServer({
    ...http1Options(settings),
    ...toSecureContext(tls),
    allowHTTP1: true,
    ...(headersTimeout > 0 && { handshakeTimeout: headersTimeout }),
    settings: {
      maxConcurrentStreams,
      // HTTP/2 counts 32 bytes a field more, and the target as one. What is a little too long gets an answer, what is
      // far too long a reset.
      maxHeaderListSize: 2 * (maxHeaderSize + maxTargetLength) + 32 * maxHeaderFields,
    },
    maxHeaderListPairs: 2 * maxHeaderFields,
    // Beyond what endAbusiveSession bears: Node 24 stops listening to a client that exceeds these, and keeps its connection.
    streamResetBurst: 4 * maxConcurrentStreams,
    streamResetRate: 4 * maxConcurrentStreams,
    // A client that errs again and again is sent away.
    maxSessionInvalidFrames: 100,
  });
}
