import type { CollectionHandler, CollectionSettings } from "./collection-settings.ts";
import { guarded } from "./guarded.ts";
import { refuseValue } from "./refusals.ts";
import type { Document } from "./store.ts";

/** POST to a collection. */
export function createRecord<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { path, store, schema, decoders, created } = settings;
  return guarded(async (request) => {
    const document = await request.body(schema, { decoders });
    const creation = await store.create(document);
    if (creation.kind === "conflict") return refuseValue(creation.member);
    return created(creation.record, `${path}/${creation.record.id}`);
  });
}
