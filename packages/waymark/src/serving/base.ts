import { type Attribute, attribute } from "../exchange/exchange.ts";
import { pathSegments } from "../path/pattern.ts";
import { encodePath } from "../path/target.ts";
import type { HttpRequest } from "../request.ts";
import { withoutHost } from "../response.ts";

/** The place in the path, and the URL, of the root of an app. */
export interface Base {
  /** Where clients reach the root, without a slash at the end; empty: at the root of the host. */
  readonly url: string;
  /** How many segments of the path lead to it. */
  readonly depth: number;
}

/** Where the app is whose route answers; absent at the root. */
export const base: Attribute<Base> = attribute("base");

export const baseOf = (request: HttpRequest<unknown>): Base => request.attribute(base) ?? { url: "", depth: 0 };

/** Returns the path of the request below that of an app, with its escapes. */
export function pathBelow({ path }: HttpRequest<unknown>, depth: number): string {
  if (depth === 0) return encodePath(path);
  return pathSegments(path)
    .slice(depth)
    .map((segment) => `/${encodePath(segment)}`)
    .join("");
}

/** Returns the request as one to an app at a path of so many segments. */
export function withBase(request: HttpRequest, depth: number): HttpRequest {
  const outer = baseOf(request);
  const between = pathSegments(request.path).slice(outer.depth, depth);
  const url = outer.url + between.map((segment) => `/${encodePath(segment)}`).join("");
  return request.withAttribute(base, { url, depth });
}

/** Is `publicUrl.of`. */
export function toPublicUrl(request: HttpRequest<unknown>, path?: string): string {
  const { url, depth } = baseOf(request);
  return withoutHost(url + (path ?? pathBelow(request, depth)));
}
