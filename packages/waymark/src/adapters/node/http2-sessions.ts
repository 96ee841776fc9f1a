import type { Http2SecureServer, ServerHttp2Session } from "node:http2";

/** The open sessions of HTTP/2 of a server. */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();

  /** @param idleTimeout how long a session is kept on which no stream is open, in milliseconds; 0 for any time */
  constructor(server: Http2SecureServer, idleTimeout: number) {
    server.on("session", (session) => {
      this.#open.add(session);
      session.once("close", () => this.#open.delete(session));
      let streams = 0;
      session.on("stream", (stream) => {
        streams++;
        stream.once("close", () => streams--);
      });
      if (idleTimeout === 0) return;
      session.setTimeout(idleTimeout, () => {
        if (streams === 0) session.destroy();
      });
    });
  }

  /** Has each session end with the streams that are open on it. */
  startClosing(): void {
    for (const session of this.#open) session.close();
  }

  closeAll(): void {
    for (const session of this.#open) session.destroy();
  }
}
