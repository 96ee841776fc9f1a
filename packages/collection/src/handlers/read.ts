import { type Awaitable, type HttpRequest, HttpResponse, notFound } from "waymark";
import { evaluatePreconditions, notModified } from "waymark/fields";
import { narrow, readFields } from "../lists/fields.ts";
import type { Representation } from "../representation.ts";
import type { CollectionSettings, ReadHandler } from "../settings.ts";
import type { Document, StoredRecord } from "../store.ts";
import { parseRecordId, type RecordScope } from "./record-scope.ts";
import { refuseId, refusePrecondition, refuseUnavailable } from "./refusals.ts";
import { recordValidators, representationFields } from "./validators.ts";

/** GET of a record, answered without a promise where the store answers so. */
export function readRecord<T extends Document>({ scope, items, members }: CollectionSettings<T>): ReadHandler {
  return (request) => {
    const id = parseRecordId(request.variables.id);
    if (id === undefined) return refuseId(request.variables.id);
    const representation = chosenRepresentation(request, items);
    const fields = readFields(request.search, members, representation);

    const answer = (record: StoredRecord | undefined, url: string): HttpResponse => {
      if (record === undefined) return notFound();
      const validators = recordValidators(request, record, items, representation);
      const verdict = evaluatePreconditions(request, validators);
      if (verdict === "failed") return refusePrecondition();
      const headers = representationFields(representation, validators);
      if (verdict === "not-modified") return notModified(new HttpResponse(200, headers));
      return new HttpResponse(200, headers, representation.item(narrow(record, fields), { url, request }));
    };

    const find = ({ store, url }: RecordScope): Awaitable<HttpResponse> => {
      const record = store.find(id);
      return record instanceof Promise ? record.then((found) => answer(found, url)) : answer(record, url);
    };

    try {
      const scoped = scope(request);
      if (scoped instanceof Promise) return scoped.then(find).catch(refuseUnavailable);
      const found = find(scoped);
      return found instanceof Promise ? found.catch(refuseUnavailable) : found;
    } catch (error) {
      return refuseUnavailable(error);
    }
  };
}

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
