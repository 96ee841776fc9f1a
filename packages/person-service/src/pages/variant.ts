import { createHash } from "node:crypto";
import type { HttpRequest } from "waymark";
import { caller, toPublicUrl } from "waymark/filters";
import { assetsVersion } from "./assets.ts";
import { columnsFor } from "./columns.ts";
import { readerOf } from "./reader.ts";
import { mayFollow, type Site } from "./site.ts";

/** Returns what a page depends on beside the people: the version of the pages, the caller, what the caller may do and prefers. */
export function variantFor(site: Site, request: HttpRequest<unknown>): string {
  const changes = ["POST", "PUT", "PATCH", "DELETE"].map((method) => site.may(request, method, request.path));
  const parts = [
    assetsVersion(site.brand),
    site.brand.title,
    toPublicUrl(request, ""),
    request.attribute(caller)?.id,
    request.header("Prefer"),
    readerOf(request).locale,
    columnsFor(site.members, request),
    ...changes,
    mayFollow(site, request),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}
