import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import { endAbusiveSession } from "./http2-abuse.ts";
import type { ServeSettings } from "./serve-options.ts";

/** The open sessions of HTTP/2 of a server. */
export class Http2Sessions {
  readonly #open = new Set<ServerHttp2Session>();

  constructor(server: Http2SecureServer, settings: ServeSettings) {
    server.on("session", (session) => {
      this.#open.add(session);
      session.once("close", () => this.#open.delete(session));
      endAbusiveSession(session, settings);
      let streams = 0;
      session.on("stream", (stream) => {
        streams++;
        stream.once("close", () => streams--);
      });
      if (settings.keepAliveTimeout === 0) return;
      session.setTimeout(settings.keepAliveTimeout, () => {
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
