import { DeclarationSite } from "../declaration-site.ts";
import type { AfterFilter } from "../filter.ts";
import { HeaderList } from "../header-list.ts";

/**
 * Keeps caches from storing responses with a status of 400 or more that say nothing about caching: 404, 405, 410, 414 and 501
 * may be stored by default (RFC 9110 §15.1), and would then stand in the way of what is there a moment later. Problem documents
 * say so themselves. For `router({ filters })`, or for a group.
 *
 * ```ts
 * router({ filters: [noStoreErrors()] }, GET("/person/{id}", () => notFound()))   // 404, Cache-Control: no-store
 * ```
 */
export function noStoreErrors(): AfterFilter {
  return {
    kind: "after",
    apply: (_request, response) => {
      const { status, headers } = response;
      if (status < 400 || headers.has("Cache-Control")) return response;
      return response.withHeaders(headers.concat(noStore));
    },
    site: new DeclarationSite(noStoreErrors),
  };
}

const noStore = HeaderList.of({ "Cache-Control": "no-store" });
