import { noContent } from "waymark";
import { changeRecord } from "./change-record.ts";
import type { CollectionSettings, ItemHandler } from "./collection-settings.ts";
import { replacementOf } from "./item-document.ts";
import type { Document } from "./store.ts";

/** PUT of a record. */
export function replaceRecord<T extends Document>(settings: CollectionSettings<T>): ItemHandler {
  const { store, schema, decoders } = settings;
  return changeRecord(settings, {
    async attempt(request, current, expectedRevision) {
      const document = await request.body(replacementOf(schema, current), { decoders });
      return store.replace(current.id, document, expectedRevision);
    },
    // Without a validator, since the record is not stored as it was sent (RFC 9110 §9.3.4).
    changed: noContent,
  });
}
