import type { HttpRequest, HttpResponse } from "waymark";
import { excerpt, nearestName, orNearest } from "waymark/content";
import { attachment } from "waymark/fields";
import { formatParameter, readQuery } from "../lists/parameters.ts";
import type { Representation } from "../representation.ts";

/**
 * Returns the representation that the query names (`?format=csv`), else the one that the route's `accept` chose, else the first.
 *
 * @throws HttpError 400 `invalid-parameters` when the query names an unknown representation
 * @throws RangeError when the route accepts a type that the collection does not have
 */
export function chosenRepresentation<R extends Representation>(
  request: HttpRequest<unknown>,
  representations: readonly [R, ...R[]],
): R {
  const format = formatOf(request);
  if (format !== undefined) return named(format, request, representations);
  const { negotiatedType } = request;
  if (negotiatedType === undefined) return representations[0];
  const chosen = representations.find(({ mediaType }) => mediaType === negotiatedType);
  if (chosen !== undefined) return chosen;
  const known = representations.map(({ mediaType }) => mediaType).join(", ");
  throw new RangeError(`The route accepts ${negotiatedType}, and the collection can be sent as: ${known}`);
}

function named<R extends Representation>(
  format: string,
  request: HttpRequest<unknown>,
  representations: readonly [R, ...R[]],
): R {
  const chosen = representations.find(({ name }) => name === format);
  if (chosen !== undefined) return chosen;
  return readQuery(request.search, (_, report) => {
    const names = representations.map(({ name }) => name);
    const nearest = nearestName(format, names);
    report(formatParameter, `is ${excerpt(format)}, which is not a format here${orNearest(nearest)}`, names);
    return representations[0]; // not reached: readQuery throws what is reported
  });
}

/**
 * Names the response as a file to save, such as `person.csv` or `person-7.vcf`, when the query named its representation and that
 * representation has a file extension.
 *
 * @param path the canonical path of the collection
 */
export function asFile(
  response: HttpResponse,
  request: HttpRequest<unknown>,
  { extension }: Representation,
  path: string,
  id?: number,
): HttpResponse {
  if (extension === undefined || formatOf(request) === undefined) return response;
  const segment = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)).replaceAll(notInFileNames, "_");
  const collection = segment === "" ? "records" : segment;
  const fileName = `${collection}${id === undefined ? "" : `-${id}`}.${extension}`;
  return response.withHeader("Content-Disposition", attachment(fileName));
}

const notInFileNames = /[/\\\p{Cc}]/gu;

function formatOf(request: HttpRequest<unknown>): string | undefined {
  // Most requests have no query. `format=` without a value is refused with the other parameters.
  return request.search === "" ? undefined : request.query.get(formatParameter) || undefined;
}
