import { notFound } from "waymark";
import { refuseParameters } from "../lists/parameters.ts";
import type { CollectionHandler, CollectionSettings, ItemHandler } from "../settings.ts";
import type { Document } from "../store.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { answerWritten, preferredSchema, readPreferences, writePreferences } from "./preferences.ts";
import { parseRecordId } from "./record-scope.ts";
import { guarded, refuseExisting, refuseId, refuseReusedKey, refuseRunning, refuseValue } from "./refusals.ts";

/** POST to a collection. */
export function createRecord<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { scope, decoders, created, idempotencyScope } = settings;
  const known = writePreferences(settings);
  /** The keys of the requests that are not answered yet. */
  const running = new Set<string>();

  return guarded(async (request) => {
    refuseParameters(request.search);
    const preferences = readPreferences(request, known);
    const { store, path, url } = await scope(request);
    const idempotency = await readIdempotencyKey(request, [path, idempotencyScope(request)]);
    if (idempotency !== undefined && running.has(idempotency.key)) return refuseRunning();
    if (idempotency !== undefined) running.add(idempotency.key);
    try {
      const document = await request.body(preferredSchema(settings, preferences), { decoders });
      const creation = await store.create(document, idempotency && { idempotency });
      switch (creation.kind) {
        case "conflict":
          return refuseValue(creation.member);
        case "key-reused":
          return refuseReusedKey();
        case "ownerless":
          return notFound();
        case "created":
        case "repeated": {
          const { record } = creation;
          const written = { record, path: `${request.path}/${record.id}`, url, validators: true };
          return answerWritten(request, preferences, settings, created(record, `${url}/${record.id}`), written);
        }
      }
    } finally {
      if (idempotency !== undefined) running.delete(idempotency.key);
    }
  });
}

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
