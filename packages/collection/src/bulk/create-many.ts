import { chooseDecoder, notFound, type StandardSchemaV1 } from "waymark";
import type { CollectionHandler, CollectionSettings } from "../collection-settings.ts";
import { guarded } from "../handlers/guarded.ts";
import { without } from "../handlers/item-document.ts";
import { readPreferences, withApplied } from "../handlers/preferences.ts";
import { preferredSchema } from "../handlers/write-preferences.ts";
import { refuseParameters } from "../lists/query-parameters.ts";
import { isJsonObject } from "../patch/merge-patch.ts";
import type { Document } from "../store.ts";
import {
  answerStored,
  refuseBrokenOff,
  refuseConflicts,
  refuseIdempotencyKey,
  refuseInvalid,
  refuseMalformed,
} from "./bulk-answers.ts";
import { conflictErrors } from "./conflict-errors.ts";
import { LineErrors } from "./line-errors.ts";
import type { ListedValue } from "./list-decoder.ts";
import { Spool } from "./spool.ts";
import { storeEach } from "./store-each.ts";

/**
 * POST of many records. They are validated as they come and put aside on disk; the store learns of them when the content
 * has ended, whole. So a slow client keeps nobody waiting, and of one that goes away nothing is stored.
 */
export function createMany<T extends Document>(settings: CollectionSettings<T>): CollectionHandler {
  const { scope, listDecoders, listLimit, serverMembers } = settings;
  // A list that was read can be sent: what the server sets in it is set anew, but for the ids.
  const ignored = serverMembers.filter((name) => name !== "id");
  return guarded(async (request) => {
    refuseParameters(request.search);
    const preferences = readPreferences(request, { handling: ["lenient"] });
    const { store } = await scope(request);
    if (request.headers.has("Idempotency-Key")) return refuseIdempotencyKey();
    const { decoder, mediaType } = chooseDecoder(request.headers, listDecoders);
    const lenient = preferences.get("handling") === "lenient";
    const decoded = decoder.decode(request.stream({ limit: listLimit }), { mediaType, lenient });
    const values = withoutMembers(decoded, ignored);
    const spool = await Spool.open();
    try {
      const errors = await putAside(values, preferredSchema(settings, preferences), lenient, spool);
      if (lenient) {
        const { stored, brokenOffAfter } = await storeEach(store, spool, errors);
        if (brokenOffAfter !== undefined) return refuseBrokenOff(stored, brokenOffAfter, errors);
        return withApplied(answerStored(stored, errors), preferences);
      }
      if (errors.lines > 0) return refuseInvalid(errors);
      const creation = await store.createAll(documentsOf(spool));
      switch (creation.kind) {
        case "created":
          return answerStored(creation.count, errors);
        case "refused":
          return refuseConflicts(await conflictErrors(spool, creation.conflicts));
        case "ownerless":
          return notFound();
      }
    } catch (error) {
      throw refuseMalformed(error);
    } finally {
      await spool.close();
    }
  });
}

/** Puts aside the documents that may be stored, and tells what is wrong with the others. */
async function putAside<T extends Document>(
  values: AsyncIterable<ListedValue>,
  schema: StandardSchemaV1<unknown, T>,
  lenient: boolean,
  spool: Spool,
): Promise<LineErrors> {
  const errors = new LineErrors();
  for await (const { line, value, issues } of values) {
    const result = issues === undefined ? await schema["~standard"].validate(value) : { issues };
    if (result.issues !== undefined) errors.add(line, result.issues);
    else if (lenient || errors.lines === 0) await spool.add(line, result.value);
  }
  return errors;
}

async function* withoutMembers(
  values: AsyncIterable<ListedValue>,
  names: readonly string[],
): AsyncGenerator<ListedValue, void, undefined> {
  for await (const listed of values) {
    const { line, value } = listed;
    const isWithout = !isJsonObject(value) || !names.some((name) => Object.hasOwn(value, name));
    yield isWithout ? listed : { line, value: without(value, names) };
  }
}

async function* documentsOf(spool: Spool): AsyncGenerator<Document, void, undefined> {
  for await (const { document } of spool.documents()) yield document;
}
