import type { StandardSchemaV1 } from "waymark";
import type { CollectionSettings } from "../collection-settings.ts";
import type { Document } from "../store.ts";
import type { KnownPreferences, Preferences } from "./preferences.ts";
import { returnPreferences } from "./written-record.ts";

/** The preferences that a handler can follow that takes a record from the client. */
export function writePreferences<T extends Document>({ lenientSchema }: CollectionSettings<T>): KnownPreferences {
  return lenientSchema === undefined ? returnPreferences : { ...returnPreferences, handling: ["lenient"] };
}

/** What the record is to be like, by the client's preference. */
export function preferredSchema<T extends Document>(
  { schema, lenientSchema = schema }: CollectionSettings<T>,
  preferences: Preferences,
): StandardSchemaV1<unknown, T> {
  return preferences.get("handling") === "lenient" ? lenientSchema : schema;
}
