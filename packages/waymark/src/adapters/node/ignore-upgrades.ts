import type { IncomingMessage, Server } from "node:http";
import type { Connections } from "./connections.ts";

/**
 * Has requests with Upgrade served as if they had none, since there is nothing to upgrade to (RFC 9110 §7.8). Node's parser
 * stops at such a request, whoever ignores it, and loses what has come behind it. So Node is let to hand over the
 * connection, and gets it back as a new one with the request, the field taken out, and the rest.
 */
export function ignoreUpgrades(
  server: Server,
  connections: Connections,
  connectionEvent: "connection" | "secureConnection",
): void {
  server.on("upgrade", (request: IncomingMessage, _stream, rest: Buffer) => {
    const { socket } = request;
    const onError = (): void => {
      socket.destroy();
    };
    socket.on("error", onError).pause();
    connections.of(socket)?.whenIdle(() => {
      socket.off("error", onError);
      if (socket.destroyed || !socket.writable) return;
      server.emit(connectionEvent, socket);
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), rest]));
      socket.resume();
    });
  });
}

/** Whether Node may hand over the connection of a request with Upgrade: not with content on it, some of which would be lost. */
export function mayHandOver({ headers }: IncomingMessage): boolean {
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.toLowerCase() !== "upgrade") lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
