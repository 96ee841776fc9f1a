import { createServer } from "node:tls";
import { Http1Server } from "./http1/server.ts";
import { Http2Server } from "./http2/server.ts";
import { connectionOptions, type Listener } from "./listener.ts";
import { type ServeContext, type TlsCredentials, toSecureContext } from "./options.ts";

/** Makes a listener with TLS, which speaks HTTP/2 with the clients that choose it (ALPN), and HTTP/1.1 with the others. */
export function makeSecure(context: ServeContext, credentials: TlsCredentials): Listener {
  const http1 = new Http1Server(context);
  const http2 = new Http2Server(context);
  const { headersTimeout } = context;
  const options = {
    ...connectionOptions,
    ...toSecureContext(credentials),
    ALPNProtocols: ["h2", "http/1.1"],
    ...(headersTimeout > 0 && { handshakeTimeout: headersTimeout }),
  };
  const tls = createServer(options, (socket) => {
    if (socket.alpnProtocol === "h2") http2.accept(socket);
    else http1.accept(socket);
  });
  return { server: tls, tls, http1, http2 };
}
