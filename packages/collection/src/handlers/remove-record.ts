import { ok } from "waymark";
import type { CollectionSettings, ItemHandler } from "../collection-settings.ts";
import type { Document } from "../store.ts";
import { changeRecord } from "./change-record.ts";
import { answerWritten, returnPreferences } from "./written-record.ts";

/** DELETE of a record. */
export function removeRecord<T extends Document>(settings: CollectionSettings<T>): ItemHandler {
  return changeRecord(settings, {
    preferences: returnPreferences,
    attempt({ store, preferences }, current, expectedRevision) {
      // What is sent back must be what was removed.
      const isSentBack = preferences.get("return") === "representation";
      return store.remove(current.id, isSentBack ? current.revision : expectedRevision);
    },
    changed: ({ request, url, preferences }, record) =>
      answerWritten(request, preferences, settings, ok(), { record, url, validators: false, removed: true }),
  });
}
