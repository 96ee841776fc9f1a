import { type Attribute, attribute } from "./attribute.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** What cannot be read: the message, of which there is then no more than is told, or the target of a sound one. */
export type Malformed = "message" | "target";

/** Why a request reaches no route, and what it is answered with instead. */
export const refused: Attribute<{ readonly malformed: Malformed; readonly response: HttpResponse }> =
  attribute("refused");

/**
 * Whether the request stands for a message that is refused before it is one, whatever a filter lets through. A filter that
 * keeps people out has nothing to guard there, and perhaps no fields to decide by. A malformed target it decides on as ever.
 *
 * ```ts
 * around((request, next) => (isRefusedMessage(request) || mayPass(request) ? next(request) : empty(401)))
 * ```
 */
export const isRefusedMessage = (request: HttpRequest): boolean => request.attribute(refused)?.malformed === "message";
