import { type Attribute, attribute } from "./attribute.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** What a request is answered with that reaches no route: its message or its target is malformed. */
export const refused: Attribute<HttpResponse> = attribute("refused");

/**
 * Whether the request is refused whatever a filter lets through, since its message or its target is malformed. A filter that
 * would refuse it has nothing to guard.
 *
 * ```ts
 * around((request, next) => (isRefused(request) || mayPass(request) ? next(request) : empty(401)))
 * ```
 */
export const isRefused = (request: HttpRequest): boolean => request.attribute(refused) !== undefined;
