import { createHash } from "node:crypto";
import type { HttpRequest } from "waymark";
import { caller, toPublicUrl } from "waymark/filters";
import type { MemberList } from "../person/member-list.ts";
import { assetsVersion } from "./assets.ts";
import type { Brand } from "./brand.ts";
import { columnsFor } from "./columns.ts";
import { readerOf } from "./reader.ts";

/** What the pages must know of the service that they are of. */
export interface Site {
  /** Returns whether the caller of a request may make another one, so that nothing is offered that would be refused. */
  readonly may: (request: HttpRequest<unknown>, method: string, path: string) => boolean;
  readonly brand: Brand;
  /** Whether people can sign in. */
  readonly signsIn: boolean;
  /** The most bytes of a file that is imported. */
  readonly mostBytes: number;
  /** The members that people may have. */
  readonly members: MemberList;
}

/** Returns whether the caller of a request may follow the changes of people. */
export const mayFollow = ({ may }: Site, request: HttpRequest<unknown>): boolean =>
  ["/person", "/person/changes"].every((path) => may(request, "GET", path));

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
