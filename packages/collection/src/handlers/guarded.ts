import type { HttpResponse } from "waymark";
import { refuseUnavailable } from "./refusals.ts";

/** The handler with the store's being unavailable answered. */
export function guarded<R>(handler: (request: R) => Promise<HttpResponse>): (request: R) => Promise<HttpResponse> {
  return (request) => handler(request).catch(refuseUnavailable);
}
