import type { IncomingMessage, Server } from "node:http";
import type { Connections } from "./connections.ts";
import { giveBack } from "./internals.ts";

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
    const connection = connections.of(socket);
    if (connection === undefined) return;
    const bytes = [headWithoutUpgrade(request), rest];
    const onGone = (): void => {
      socket.destroy();
    };
    const onData = (piece: Buffer): void => {
      if (bytes.push(piece) > mostPieces) socket.pause();
    };
    // Node has let go of the socket, its listeners included.
    socket.on("error", onGone).pause();
    // While others are answered it is read, to see whether the client goes.
    if (!connection.idle) socket.on("end", onGone).on("data", onData).resume();
    connection.whenIdle(() => {
      socket.off("end", onGone).off("data", onData).resume();
      // Where it ends with a refusal, what still comes is taken, and not looked at.
      if (!socket.writable || connection.refused) return;
      socket.off("error", onGone);
      giveBack(server, connectionEvent, socket, Buffer.concat(bytes));
    });
  });
}

/** How many pieces of what comes behind are kept, of 64 KiB each at most, before no more are read. */
const mostPieces = 10;

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
