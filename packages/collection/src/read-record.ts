import { evaluatePreconditions, HttpResponse, notFound, notModified } from "waymark";
import { chosenRepresentation } from "./chosen-representation.ts";
import type { CollectionSettings, ItemRequest, ReadHandler } from "./collection-settings.ts";
import { parseRecordId } from "./record-id.ts";
import { refuseId, refusePrecondition, refuseUnavailable } from "./refusals.ts";
import type { Document, StoredRecord } from "./store.ts";
import { recordValidators, representationFields } from "./validators.ts";

/** GET of a record, answered without a promise where the store answers so. */
export function readRecord<T extends Document>({ store, items }: CollectionSettings<T>): ReadHandler {
  const answer = (request: ItemRequest, record: StoredRecord | undefined): HttpResponse => {
    if (record === undefined) return notFound();
    const representation = chosenRepresentation(request, items);
    const validators = recordValidators(record, items, representation);
    const verdict = evaluatePreconditions(request, validators);
    if (verdict === "failed") return refusePrecondition();
    const fields = representationFields(representation, validators);
    if (verdict === "not-modified") return notModified(new HttpResponse(200, fields));
    return new HttpResponse(200, fields, representation.item(record));
  };

  return (request) => {
    const id = parseRecordId(request.variables.id);
    if (id === undefined) return refuseId(request.variables.id);
    try {
      const record = store.find(id);
      if (!(record instanceof Promise)) return answer(request, record);
      return record.then((found) => answer(request, found)).catch(refuseUnavailable);
    } catch (error) {
      return refuseUnavailable(error);
    }
  };
}
