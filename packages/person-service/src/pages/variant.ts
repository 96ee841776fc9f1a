import { hash } from "node:crypto";
import type { HttpRequest } from "waymark";
import { caller, toPublicUrl } from "waymark/filters";
import { assetsVersion } from "./frame/assets.ts";
import { readerOf } from "./frame/reader.ts";
import { mayFollow, type Site } from "./frame/site.ts";
import { columnsFor } from "./list/columns.ts";

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
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 12);
}
