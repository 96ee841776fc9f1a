import { notFound } from "waymark";
import type { CollectionHandler, CollectionSettings } from "../collection-settings.ts";
import { refuseParameters } from "../lists/query-parameters.ts";
import type { Document } from "../store.ts";
import { guarded } from "./guarded.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { readPreferences } from "./preferences.ts";
import { refuseReusedKey, refuseRunning, refuseValue } from "./refusals.ts";
import { preferredSchema, writePreferences } from "./write-preferences.ts";
import { answerWritten } from "./written-record.ts";

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
          const written = { record, url, validators: true };
          return answerWritten(request, preferences, settings, created(record, `${url}/${record.id}`), written);
        }
      }
    } finally {
      if (idempotency !== undefined) running.delete(idempotency.key);
    }
  });
}
