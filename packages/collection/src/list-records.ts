import { evaluatePreconditions, HttpResponse, notModified } from "waymark";
import { begin } from "./begun-iteration.ts";
import { chosenRepresentation } from "./chosen-representation.ts";
import type { CollectionHandler, CollectionSettings } from "./collection-settings.ts";
import { guarded } from "./guarded.ts";
import { refusePrecondition } from "./refusals.ts";
import type { Document } from "./store.ts";
import { listValidators, representationFields } from "./validators.ts";

/** GET of a collection, streamed. */
export function listRecords<T extends Document>({ store, lists }: CollectionSettings<T>): CollectionHandler {
  return guarded(async (request) => {
    const representation = chosenRepresentation(request, lists);
    // Asked before the records are read: what is written meanwhile makes the tag old, and never the content.
    const validators = listValidators(await store.revision(), lists, representation);
    const verdict = evaluatePreconditions(request, validators);
    if (verdict === "failed") return refusePrecondition();
    const response = new HttpResponse(200, representationFields(representation, validators));
    if (verdict === "not-modified") return notModified(response);
    return response.withBody(await begin(representation.list(store.list(), {})));
  });
}
