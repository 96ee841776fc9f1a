import { type DatabaseState, StoreUnavailable } from "@waymark/collection";
import {
  after,
  GET,
  group,
  type HttpRequest,
  type HttpResponse,
  problem,
  problemTypes,
  type Route,
  text,
} from "waymark";

/** What the health of the service depends on. */
export interface Health {
  /** Resolves when the database can be used, with what for, and fails with StoreUnavailable when it cannot. */
  readonly check: () => Promise<DatabaseState>;
  /** False while the service starts or is about to stop. */
  readonly isReady: () => boolean;
  /** How long the database may take to say that it can be used, in milliseconds. Default: 2,000. */
  readonly patience?: number;
}

/**
 * For those who watch over the service. `/health/live` answers as long as the process does, and says nothing about what it stands on: a
 * restart would not mend a database. `/health/ready` is 503 while requests would better go elsewhere; its text is `ready`, or
 * `ready for reads only` where that is all that the database can be used for.
 */
export const healthRoutes = (health: Health): Route =>
  group(
    "/health",
    after((_request, response) => response.withHeader("Cache-Control", "no-store")),
    GET("/live", () => text("live")),
    GET("/ready", () => readiness(health)),
  );

/** Returns whether a request is for one of `healthRoutes`: who watches over the service is answered also when it has too much to do. */
export const isHealthCheck = ({ method, path }: HttpRequest): boolean =>
  (method === "GET" || method === "HEAD") && (path === "/health/live" || path === "/health/ready");

async function readiness({ check, isReady, patience = 2000 }: Health): Promise<HttpResponse> {
  if (!isReady()) return notReady("The service is starting, or about to stop.");
  const { promise: late, resolve } = Promise.withResolvers<HttpResponse>();
  const timer = setTimeout(() => resolve(notReady("The database does not answer.")), patience);
  try {
    return await Promise.race([check().then(ready), late]);
  } catch (error) {
    if (error instanceof StoreUnavailable) return notReady("The database cannot be used just now.");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const ready = ({ readOnly }: DatabaseState): HttpResponse => text(readOnly ? "ready for reads only" : "ready");

const notReady = (detail: string): HttpResponse =>
  problem(problemTypes.serviceUnavailable, { detail }).withHeader("Retry-After", "1");
