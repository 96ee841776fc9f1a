import type { HttpRequest } from "waymark";
import type { Representation } from "../representation.ts";

/**
 * The representation that the route's `accept` chose; the preferred one where the route names no types.
 *
 * @throws RangeError when the route accepts a type that the collection does not have
 */
export function chosenRepresentation<R extends Representation>(
  { negotiatedType }: HttpRequest<unknown>,
  representations: readonly R[],
): R {
  const chosen = negotiatedType === undefined ? representations[0] : representations.find(isSentAs(negotiatedType));
  if (chosen !== undefined) return chosen;
  const known = representations.map(({ mediaType }) => mediaType).join(", ") || "none";
  throw new RangeError(`The route accepts ${negotiatedType}, and the collection can be sent as: ${known}`);
}

const isSentAs =
  (wanted: string) =>
  ({ mediaType }: Representation): boolean =>
    mediaType === wanted;
