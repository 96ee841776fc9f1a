import * as problemTypes from "../common/problem-types.ts";
import { problem } from "../problem.ts";
import type { HttpRequest } from "../request.ts";
import type { HttpResponse } from "../response.ts";
import { toPublicUrl } from "./base.ts";

/** The refusal of what a page of another site sends. */
export const crossSiteRefusal: HttpResponse = problem(problemTypes.crossSiteRequest, {
  detail: "A page of another site sent this request. Nothing was changed.",
});

/**
 * Returns whether no page of another site has sent the request, as `Sec-Fetch-Site` says, which no page can change; where there is
 * none, `Origin`. Programs send neither.
 */
export function isFromHere(request: HttpRequest<unknown>): boolean {
  const { headers, client } = request;
  const site = headers.get("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = headers.get("origin");
  if (origin === undefined || origin.replace(/^https?:\/\//, "") === client.host) return true;
  // A proxy may send another Host than the browser sent.
  return URL.parse(toPublicUrl(request, "/"))?.origin === origin;
}
