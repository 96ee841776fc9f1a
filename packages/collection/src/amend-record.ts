import { type Decoder, jsonDecoder, noContent } from "waymark";
import { changeRecord } from "./change-record.ts";
import type { CollectionSettings, ItemHandler } from "./collection-settings.ts";
import { amendmentOf } from "./item-document.ts";
import type { Document } from "./store.ts";
import { recordValidators } from "./validators.ts";

/** The media type of a JSON merge patch (RFC 7396 §4). */
export const mergePatchType = "application/merge-patch+json";

/** The media types that `amendRecord` reads. */
export const amendTypes: readonly string[] = [mergePatchType];

/** PATCH of a record. */
export function amendRecord<T extends Document>(settings: CollectionSettings<T>): ItemHandler {
  const { store, schema, items } = settings;
  return changeRecord(settings, {
    async attempt(request, current) {
      const document = await request.body(amendmentOf(schema, current), { decoders: [mergePatchDecoder] });
      // The patch was made of this state and of no other.
      return store.replace(current.id, document, current.revision);
    },
    changed: (_request, record) => noContent().withHeader("ETag", recordValidators(record, items).entityTags[0]),
  });
}

const mergePatchDecoder: Decoder = { ...jsonDecoder, mediaTypes: [mergePatchType] };
