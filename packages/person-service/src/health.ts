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
import { docs } from "waymark/openapi";
import { ofLiveness, ofReadiness } from "./api/descriptions.ts";

/** The sources of the health of the service. */
export interface Health {
  /** Resolves with the state of the database; rejects with StoreUnavailable, whose message is sent, when it cannot be used. */
  readonly check: () => Promise<DatabaseState>;
  /** Returns false while the service starts or is about to stop. */
  readonly isReady: () => boolean;
  /** How long the check of the database may take, in milliseconds. Default: 2,000. */
  readonly patience?: number;
}

/**
 * Makes the routes for monitors. `/health/live` answers as long as the process runs, and does not check the database, which a
 * restart would not repair. `/health/ready` is 503 with the cause while requests should go elsewhere, because the database cannot
 * be reached or every change fails; its text is `ready`, or `ready for reads only` where the database is read-only.
 */
export const healthRoutes = (health: Health): Route =>
  group(
    "/health",
    after((_request, response) => response.withHeader("Cache-Control", "no-store")),
    GET(
      "/live",
      docs(ofLiveness, () => text("live")),
    ),
    GET(
      "/ready",
      docs(ofReadiness, () => readiness(health)),
    ),
  );

/** Returns whether a request is for one of `healthRoutes`. Limits do not apply to them: monitors need answers under load. */
export const isHealthCheck = ({ method, path }: Pick<HttpRequest, "method" | "path">): boolean =>
  (method === "GET" || method === "HEAD") && (path === "/health/live" || path === "/health/ready");

async function readiness({ check, isReady, patience = 2000 }: Health): Promise<HttpResponse> {
  if (!isReady()) return notReady("The service is starting, or about to stop.");
  try {
    return ready(await checkWithin(patience, check));
  } catch (error) {
    if (error instanceof StoreUnavailable) return notReady(`${error.message}.`);
    throw error;
  }
}

/**
 * Checks the database.
 *
 * @param patience how long that may take, in milliseconds
 * @throws StoreUnavailable (rejects) when the database cannot be used, or takes longer to answer
 */
export async function checkWithin(patience: number, check: Health["check"]): Promise<DatabaseState> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreUnavailable("The database does not answer")), patience);
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}

const ready = ({ readOnly }: DatabaseState): HttpResponse => text(readOnly ? "ready for reads only" : "ready");

const notReady = (detail: string): HttpResponse =>
  problem(problemTypes.serviceUnavailable, { detail }).withHeader("Retry-After", "1");
