import type { ItemRepresentation, ListRepresentation } from "@waymark/collection";
import { pageHeaders } from "./frame/document.ts";
import type { Site } from "./frame/site.ts";
import { listPage } from "./list/page.ts";
import { personPage } from "./person/page.ts";
import { variantFor } from "./variant.ts";

/** Makes the representation of people as pages for browsers: the list in pages of 50, and each person. */
export function peoplePages(site: Site): ItemRepresentation & ListRepresentation {
  return {
    name: "html",
    mediaType: "text/html",
    contentType: "text/html; charset=utf-8",
    item: (record, options) => personPage(site, record, options),
    list: (options) => listPage(site, options),
    pageSize: 50,
    countsUpTo: 10_000,
    variant: (request) => variantFor(site, request),
    headers: pageHeaders,
  };
}
