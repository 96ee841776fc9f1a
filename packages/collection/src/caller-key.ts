import type { HttpRequest } from "waymark";
import { caller, clientKey } from "waymark/filters";

/**
 * Returns the text by which bounds tell callers apart: the id of the `caller` that `access` let pass, else the address of
 * the client.
 */
export function callerKey(request: HttpRequest<unknown>): string {
  const id = request.attribute(caller)?.id;
  return id === undefined ? `client ${clientKey(request)}` : `caller ${id}`;
}
