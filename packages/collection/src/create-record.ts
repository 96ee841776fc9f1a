import type { CollectionHandler, CollectionSettings } from "./collection-settings.ts";
import { guarded } from "./guarded.ts";
import { readPreferences } from "./preferences.ts";
import { refuseParameters } from "./query-parameters.ts";
import { refuseValue } from "./refusals.ts";
import type { Document } from "./store.ts";
import { preferredSchema, writePreferences } from "./write-preferences.ts";
import { answerWritten } from "./written-record.ts";

/** POST to a collection. */
export function createRecord<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { path, store, decoders, created } = settings;
  const known = writePreferences(settings);
  return guarded(async (request) => {
    refuseParameters(request.search);
    const preferences = readPreferences(request, known);
    const document = await request.body(preferredSchema(settings, preferences), { decoders });
    const creation = await store.create(document);
    if (creation.kind === "conflict") return refuseValue(creation.member);
    if (!("record" in creation)) throw new Error(`The store answers ${creation.kind}, which was not asked for`);
    const { record } = creation;
    const location = `${path}/${record.id}`;
    const written = { record, location, validators: true };
    return answerWritten(request, preferences, settings, created(record, location), written);
  });
}
