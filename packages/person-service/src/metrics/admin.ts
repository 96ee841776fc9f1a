import { type RunningServer, serve } from "@waymark/node";
import { type App, content, GET, router, text } from "waymark";
import { isLoopback, onlyForHosts } from "../access/host-names.ts";
import { type Health, healthRoutes } from "../health.ts";

/** The sources of the admin listener. */
export interface AdminSources {
  /** Resolves with the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly health: Health;
}

/** Makes the app of the admin listener: `/metrics`, `/health/live` and `/health/ready`. */
function adminApp({ metrics, health }: AdminSources, host: string): App {
  // A web page in a browser on this machine must not read the metrics by a host name of its own.
  const filters = isLoopback(host) ? [onlyForHosts([])] : [];
  return router(
    { filters },
    GET("/metrics", async () => {
      const page = content(metricsType, await metrics());
      return page.withHeader("Cache-Control", "no-store");
    }),
    healthRoutes(health),
    GET("/", () => text("/metrics\n/health/live\n/health/ready\n")),
  );
}

/** The address of the admin listener. */
export interface AdminAddress {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
}

/**
 * Opens the admin listener.
 *
 * @throws ListenError (rejects) when the port is taken or not allowed
 */
export function openAdmin({ host, port }: AdminAddress, sources: AdminSources): Promise<RunningServer> {
  return serve(adminApp(sources, host), { host, port });
}

/** The text format of Prometheus. */
const metricsType = "text/plain; version=0.0.4; charset=utf-8";
