import { ok } from "waymark";
import { changeRecord } from "./change-record.ts";
import type { CollectionSettings, ItemHandler } from "./collection-settings.ts";
import type { Document } from "./store.ts";

/** DELETE of a record. */
export function removeRecord<T extends Document>(settings: CollectionSettings<T>): ItemHandler {
  return changeRecord(settings, {
    attempt: (_request, current, expectedRevision) => settings.store.remove(current.id, expectedRevision),
    changed: ok,
  });
}
