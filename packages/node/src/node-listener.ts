import type { IncomingMessage, ServerResponse } from "node:http";
import type { Servable } from "waymark/internal";
import { makeContext, requireApp } from "./context.ts";
import { exchangeOfMessage, NodeHttpMessage } from "./node-http/message.ts";
import { longestTimer, toServeSettings } from "./options.ts";

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
  const context = makeContext(app, { ...toServeSettings({ contentMemory: 0 }), ...ofTheOtherServer });
  return (message, response) =>
    exchangeOfMessage(new NodeHttpMessage(message, response, context, message), context).answer();
}

/** What is left to the other server: all that is thrown away, for as long as it lets it. */
const ofTheOtherServer = { drainLimit: Number.MAX_SAFE_INTEGER, drainTimeout: longestTimer };
