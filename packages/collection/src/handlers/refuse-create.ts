import { notFound } from "waymark";
import type { CollectionSettings, ItemHandler } from "../collection-settings.ts";
import { refuseParameters } from "../lists/query-parameters.ts";
import type { Document } from "../store.ts";
import { guarded } from "./guarded.ts";
import { parseRecordId } from "./record-id.ts";
import { refuseExisting, refuseId } from "./refusals.ts";

/** POST to a record, which creates nothing. */
export function refuseCreate<T extends Document>({ scope }: CollectionSettings<T>): ItemHandler {
  return guarded(async (request) => {
    const id = parseRecordId(request.variables.id);
    if (id === undefined) return refuseId(request.variables.id);
    refuseParameters(request.search);
    const { store } = await scope(request);
    return (await store.find(id)) === undefined ? notFound() : refuseExisting();
  });
}
