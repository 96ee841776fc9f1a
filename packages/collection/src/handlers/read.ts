import { type Awaitable, HttpResponse, notFound } from "waymark";
import { evaluatePreconditions } from "waymark/fields";
import { narrow, readFields } from "../lists/fields.ts";
import type { CollectionSettings, ReadHandler } from "../settings.ts";
import type { Document, StoredRecord } from "../store.ts";
import { asFile, chosenRepresentation } from "./chosen-representation.ts";
import { parseRecordId, type RecordScope } from "./record-scope.ts";
import { refuseId, refusePrecondition, refuseUnavailable } from "./refusals.ts";
import { notModifiedAnswer, recordValidators, representationFields } from "./validators.ts";

/** Makes the handler for a GET of a record. It answers without a promise when the store does. */
export function readRecord<T extends Document>({ scope, items, members }: CollectionSettings<T>): ReadHandler {
  return (request) => {
    const id = parseRecordId(request.variables.id);
    if (id === undefined) return refuseId(request.variables.id);
    const representation = chosenRepresentation(request, items);
    // Most requests have no query.
    const fields = request.search === "" ? undefined : readFields(request.search, members, representation);

    const answer = (record: StoredRecord | undefined, { path, url }: RecordScope): HttpResponse => {
      if (record === undefined) return notFound();
      const validators = recordValidators(request, record, items, representation);
      const verdict = evaluatePreconditions(request, validators);
      if (verdict === "failed") return refusePrecondition(request);
      if (verdict === "not-modified") return notModifiedAnswer(representation, validators);
      const item = representation.item(fields === undefined ? record : narrow(record, fields), {
        url,
        request,
        entityTag: validators.entityTag,
      });
      return asFile(
        new HttpResponse(200, representationFields(representation, validators), item),
        request,
        representation,
        path,
        id,
      );
    };

    const find = (scope: RecordScope): Awaitable<HttpResponse> => {
      const record = scope.store.find(id);
      return record instanceof Promise ? record.then((found) => answer(found, scope)) : answer(record, scope);
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
