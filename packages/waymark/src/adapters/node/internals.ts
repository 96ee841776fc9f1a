import { IncomingMessage, type Server, ServerResponse } from "node:http";
import { Server as NetServer, Socket } from "node:net";
import { fieldLines, type HeaderList, isSenderField } from "../../fields/header-list.ts";

// Everything that the adapter takes from Node beyond its documentation, and what it does where that is missing.

/**
 * Node's response, which takes the lines of the fields as they are. Node itself checks, renders and looks at each field of each
 * response: for eleven of them 0.8 µs of the 9.4 that a request takes without its socket (Node 26). A list of fields does so too,
 * and once for those that many responses share.
 */
export class NodeServerResponse extends ServerResponse {
  #lines = "";

  writeLines(lines: string, status: number, length: number | undefined): void {
    this.#lines = lines;
    this.writeHead(status, length === undefined ? [] : ["Content-Length", String(length)]);
  }

  /** Makes the text of the head from the status line and the fields: Node's own step, with the lines put between the two. */
  _storeHeader(statusLine: string, fields: unknown): void {
    const lines = this.#lines;
    this.#lines = "";
    storeHeader?.call(this, statusLine + lines, fields); // where it is missing, nothing calls this
  }
}

/**
 * Writes the head of a response, with Content-Length where there is one; Node adds the date and the connection.
 *
 * @throws TypeError when a field cannot be sent
 */
export function writeFields(
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  length: number | undefined,
): void {
  if (takesLines && response instanceof NodeServerResponse) {
    response.writeLines(fieldLines(headers), status, length);
    return;
  }
  // A head that could not be sent has left its fields behind.
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (const [name, value] of headers) if (!isSenderField(name)) response.appendHeader(name, value);
  if (length !== undefined) response.setHeader("Content-Length", length);
  response.writeHead(status);
}

// Not in the types of Node, and perhaps not in every Node.
const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as {
  readonly _storeHeader?: (this: ServerResponse, statusLine: string, fields: unknown) => void;
};

/** Whether `writeHead` makes the head by `_storeHeader`, from a status line that ends where lines can follow. */
const takesLines = storeHeader !== undefined && statusLineOfProbe() === "HTTP/1.1 200 OK\r\n";

function statusLineOfProbe(): unknown {
  let found: unknown;
  class Probe extends ServerResponse {
    _storeHeader(statusLine: unknown): void {
      found = statusLine;
    }
  }
  new Probe(new IncomingMessage(new Socket())).writeHead(200, []);
  return found;
}

/** How many bytes of what was written the client has not yet taken. */
export function unsentBytes(socket: Socket): number {
  // The stream does not say how much of a long write has gone. The handle does: Node's own timeout looks at it too. Without it, a
  // client that takes longer than the timeout for one write counts as stalled.
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}

/**
 * Sets what is no option of every server. A Node that does not know `shouldUpgradeCallback` (before 24.9) hands over each connection
 * with Upgrade, and the content with what follows the head; one without `httpAllowHalfOpen` closes the connection of a client that
 * ends its side before it has its answer.
 */
export function setServerBehaviour(server: Server, mayHandOver: (message: IncomingMessage) => boolean): void {
  Object.assign(server, { shouldUpgradeCallback: mayHandOver, httpAllowHalfOpen: true });
}

/**
 * Gives a connection that Node has handed over back to the server, as a new one on which these bytes have come. Node documents that
 * for "connection" of its server for HTTP/1.1; a server that does not listen to the event closes the connection.
 */
export function giveBack(
  server: Server,
  connectionEvent: "connection" | "secureConnection",
  socket: Socket,
  bytes: Uint8Array,
): void {
  if (server.emit(connectionEvent, socket)) socket.unshift(bytes);
  else socket.destroy();
}

/**
 * Stops listening, and calls back when all connections are closed. The HTTP server's own `close` destroys connections whose
 * responses are made but not yet sent; it is called only where the server is not one of node:net.
 */
export function stopListening(server: Server, done: () => void): void {
  if (server instanceof NetServer) NetServer.prototype.close.call(server, done);
  else (server as Server).close(done);
}
