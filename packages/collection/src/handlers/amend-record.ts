import { type Decoder, jsonDecoder, type MediaType, noContent } from "waymark";
import type { CollectionSettings, ItemHandler } from "../collection-settings.ts";
import type { Document } from "../store.ts";
import { changeRecord } from "./change-record.ts";
import { type Amendment, amendmentOf } from "./item-document.ts";
import { recordValidators } from "./validators.ts";
import { preferredSchema, writePreferences } from "./write-preferences.ts";
import { answerWritten } from "./written-record.ts";

/** The media type of a JSON merge patch (RFC 7396 §4). */
export const mergePatchType = "application/merge-patch+json";

/** The media type of a JSON Patch (RFC 6902 §6). */
export const jsonPatchType = "application/json-patch+json";

/** The media types that `amendRecord` reads. */
export const amendTypes: readonly string[] = [mergePatchType, jsonPatchType];

/** PATCH of a record. */
export function amendRecord<T extends Document>(settings: CollectionSettings<T>): ItemHandler {
  const { items, serverMembers } = settings;
  return changeRecord(settings, {
    preferences: writePreferences(settings),
    async attempt({ request, store, preferences }, current) {
      const validator = amendmentOf({ schema: preferredSchema(settings, preferences), serverMembers, current });
      const document = await request.body(validator, { decoders: amendmentDecoders });
      // The patch was made of this state and of no other.
      return store.replace(current.id, document, current.revision);
    },
    changed({ request, url, preferences }, record) {
      const answer = noContent().withHeader("ETag", recordValidators(record, items).entityTag);
      const written = { record, url, validators: true };
      return answerWritten(request, preferences, settings, answer, written);
    },
  });
}

const amendmentDecoders: readonly Decoder[] = [
  amendmentDecoder(mergePatchType, "merge"),
  amendmentDecoder(jsonPatchType, "operations"),
];

function amendmentDecoder(type: string, kind: Amendment["kind"]): Decoder {
  const decode = (content: Uint8Array, mediaType: MediaType): Amendment => ({
    kind,
    patch: jsonDecoder.decode(content, mediaType),
  });
  return { ...jsonDecoder, mediaTypes: [type], decode };
}
