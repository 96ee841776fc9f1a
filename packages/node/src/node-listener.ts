import type { IncomingMessage, ServerResponse } from "node:http";
import { type App, HttpError, HttpRequest } from "waymark";
import { requireOptions } from "waymark/internal";
import { makeContext, requireApp } from "./exchange/context.ts";
import { exchangeOfMessage, NodeHttpMessage } from "./node-http/message.ts";
import { longestTimer, toServeSettings } from "./options.ts";

/** What else a listener does. */
export interface ListenerOptions {
  /**
   * `next`: what no route of the app takes, by path and method, goes on to the next listener of Express or Connect. Default: the app
   * refuses it.
   */
  readonly otherwise?: "next";
}

type NodeListener = (message: IncomingMessage, response: ServerResponse, next?: () => void) => void;

/**
 * Makes a listener of an app for an `http.Server` that is there already, or for what is mounted in one. Limits, timeouts and
 * the shutdown are that server's.
 *
 * ```ts
 * http.createServer(toNodeListener(app));
 * express().use("/people", toNodeListener(app));   // before whatever reads the content of requests
 * express().use(toNodeListener(app, { otherwise: "next" }));   // an application that moves route by route
 * ```
 */
export function toNodeListener(app: App, options: ListenerOptions = {}): NodeListener {
  requireApp("toNodeListener", app);
  requireOptions("toNodeListener(…)", options, ["otherwise"]);
  if (options.otherwise !== undefined && options.otherwise !== "next") {
    throw new TypeError(`toNodeListener(…) takes otherwise: "next", not ${JSON.stringify(options.otherwise)}`);
  }
  const context = makeContext(app, { ...toServeSettings({ contentMemory: 0 }), ...ofTheOtherServer });
  return (message, response, next) => {
    if (options.otherwise === "next" && next !== undefined && !takes(app, message)) return next();
    const exchange = exchangeOfMessage(new NodeHttpMessage(message, response, context, message), context);
    // Express takes the path of `use` away, and says so: links have it.
    const { baseUrl = "" } = message as { readonly baseUrl?: string };
    if (baseUrl !== "") exchange.mountAt(baseUrl);
    exchange.answer();
  };
}

/** Returns whether a route has path and method; also true for what is malformed, which the app refuses. */
function takes({ methodsOf }: App, { method = "GET", url = "/" }: IncomingMessage): boolean {
  try {
    const { path } = HttpRequest.of({ target: url });
    return methodsOf(path)?.includes(method) === true;
  } catch (error) {
    if (error instanceof HttpError) return true;
    throw error;
  }
}

/** What is left to the other server: all that is thrown away, for as long as it lets it. */
const ofTheOtherServer = { drainLimit: Number.MAX_SAFE_INTEGER, drainTimeout: longestTimer };
