import type { App } from "waymark";
import { served, wording } from "waymark/internal";
import { type ProxyTrust, toProxyTrust } from "../client.ts";
import { boundAddresses } from "../connections/address-limit.ts";
import { Connections } from "../connections/connections.ts";
import { Draining } from "../connections/draining.ts";
import { type PublishedApp, withPublished } from "../connections/request-events.ts";
import { Permits } from "../content/permits.ts";
import { UnreadContents } from "../content/unread-content.ts";
import { Unsent } from "../messages/unsent.ts";
import type { ServeSettings } from "../options.ts";

/** What is the same for every connection of a server. */
export interface ServeContext extends ServeSettings, ProxyTrust, PublishedApp {
  readonly connections: Connections;
  readonly draining: Draining;
  readonly unsent: Unsent;
  readonly permits: Permits;
  readonly unreadContents: UnreadContents;
  /** Whether the server is shutting down: answers close their connections. */
  closing: boolean;
}

/** Refuses what a program without types may give in place of an app: a route, for which no server has refusals. */
export function requireApp(server: "serve" | "toNodeListener", app: unknown): void {
  const given = app as { readonly kind?: unknown; readonly [served]?: unknown } | null | undefined;
  if (given?.[served] !== undefined) return;
  const found = typeof given?.kind === "string" ? `a ${given.kind}` : wording.typeName(app);
  throw new TypeError(`${server}(…) takes an app, not ${found}: write ${server}(router(…))`);
}

/** Makes the context of a server that serves this app. */
export function makeContext(app: App, settings: ServeSettings): ServeContext {
  const { contentMemory } = settings;
  const trust = toProxyTrust(settings.trustProxy);
  return {
    ...settings,
    ...trust,
    ...withPublished(app[served]),
    connections: new Connections(settings),
    draining: new Draining(),
    unsent: new Unsent(contentMemory),
    permits: new Permits(contentMemory, boundAddresses(contentMemory, trust)),
    unreadContents: new UnreadContents(contentMemory / 4),
    closing: false,
  };
}
