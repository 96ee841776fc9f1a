import type { IncomingMessage, ServerResponse } from "node:http";
import type { Servable } from "../served-app.ts";
import { makeContext } from "./context.ts";
import { NodeHttpExchange } from "./node-http/exchange.ts";
import { toServeSettings } from "./options.ts";

/**
 * Makes a listener of an app for an `http.Server` that is there already, or for what is mounted in one. Limits, timeouts and
 * the shutdown are that server's.
 *
 * ```ts
 * http.createServer(toNodeListener(app));
 * express().use("/people", toNodeListener(app));   // before whatever reads the content of requests
 * ```
 */
export function toNodeListener(app: Servable): (message: IncomingMessage, response: ServerResponse) => void {
  const context = makeContext(app, toServeSettings({ maxUnsent: 0, maxHeldContent: 0 }));
  return (message, response) => {
    // What a handler has begun to read, Node does not throw away.
    response.once("finish", () => message.resume());
    new NodeHttpExchange({ message, response, native: message }, context).answer();
  };
}
