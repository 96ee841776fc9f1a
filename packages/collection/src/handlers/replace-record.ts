import { noContent } from "waymark";
import type { CollectionSettings, ItemHandler } from "../collection-settings.ts";
import type { Document } from "../store.ts";
import { changeRecord } from "./change-record.ts";
import { replacementOf } from "./item-document.ts";
import { refusePart } from "./refusals.ts";
import { preferredSchema, writePreferences } from "./write-preferences.ts";
import { answerWritten } from "./written-record.ts";

/** PUT of a record. */
export function replaceRecord<T extends Document>(settings: CollectionSettings<T>): ItemHandler {
  const { decoders, serverMembers } = settings;
  return changeRecord(settings, {
    preferences: writePreferences(settings),
    async attempt({ request, store, preferences }, current, expectedRevision) {
      if (request.headers.has("Content-Range")) return refusePart();
      const validator = replacementOf({ schema: preferredSchema(settings, preferences), serverMembers, current });
      const document = await request.body(validator, { decoders });
      return store.replace(current.id, document, expectedRevision);
    },
    changed({ request, url, preferences }, record) {
      // Without validators, since the record is not stored as it was sent (RFC 9110 §9.3.4).
      const written = { record, url, validators: false };
      return answerWritten(request, preferences, settings, noContent(), written);
    },
  });
}
