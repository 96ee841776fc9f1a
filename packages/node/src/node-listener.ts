import type { IncomingMessage, ServerResponse } from "node:http";
import type { Servable } from "waymark/internal";
import { makeContext, requireApp } from "./context.ts";
import { NodeHttpExchange } from "./node-http/node-http-exchange.ts";
import { longestTimer, type ServeOptions, toServeSettings } from "./options.ts";

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
  requireApp("toNodeListener", app);
  const context = makeContext(app, toServeSettings(ofTheOtherServer));
  return (message, response) => new NodeHttpExchange({ message, response, native: message }, context).answer();
}

/** What is left to the other server: all that waits or is thrown away, for as long as it lets it. */
const ofTheOtherServer: ServeOptions = {
  maxUnsent: 0,
  maxHeldContent: 0,
  drainLimit: Number.MAX_SAFE_INTEGER,
  drainTimeout: longestTimer,
};
