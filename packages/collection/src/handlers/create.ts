import { HttpError, type HttpRequest, type HttpResponse, notFound } from "waymark";
import { parseMediaType } from "waymark/fields";
import { isSpace } from "../formats/json-array.ts";
import { longestRecord } from "../formats/list-decoder.ts";
import { refuseParameters } from "../lists/parameters.ts";
import { collectionUrl, requireRecordId } from "../record-scope.ts";
import type { CollectionHandler, CollectionSettings, ItemHandler } from "../settings.ts";
import { hashKey } from "./idempotency-key.ts";
import { creationOf } from "./new-record.ts";
import { answerWritten, readPreferences, writePreferences } from "./preferences.ts";
import { refuseExisting, refuseLength, refuseOwner, refuseReusedKey, refuseRunning, refuseValue } from "./refusals.ts";

/** Stores the records in `content`, or in the content of the request where `content` is left out. */
export type BulkCreate = (request: HttpRequest<unknown>, content?: AsyncIterable<Uint8Array>) => Promise<HttpResponse>;

/** Makes the handler for a POST to a collection. */
export function createRecord(settings: CollectionSettings, createMany: BulkCreate): CollectionHandler {
  const { scope, decoders, created, idempotencyScope, listDecoders, bulk } = settings;
  const arrayTypes = listDecoders.flatMap(({ arrays, mediaTypes }) => (arrays ? mediaTypes : []));
  const known = writePreferences(settings);
  /** The keys of the requests in progress. */
  const running = new Set<string>();

  return async (request) => {
    if (arrayTypes.length > 0 && arrayTypes.includes(typeOf(request))) {
      // Longer content can only be an array. The length of coded content is known only after decoding.
      if (Number(request.header("Content-Length") ?? 0) > longestRecord) {
        return createMany(request, arrayOf(request.stream({ limit: bulk.maxBytes, maxExpansion: bulk.maxExpansion })));
      }
      const content = await request.bytes({ limit: longestRecord });
      if (beginsArray(content)) return createMany(request, oneOf(content));
    }
    if (request.search !== "") refuseParameters(request.search);
    const preferences = readPreferences(request, known);
    const store = await scope.storeOf(request, "collection");
    const key = request.headers.get("Idempotency-Key");
    const keyScope = (): readonly string[] => [request.path, idempotencyScope(request)];
    const idempotency = key === undefined ? undefined : await hashKey(key, request, keyScope());
    if (idempotency !== undefined && running.has(idempotency.key)) return refuseRunning();
    if (idempotency !== undefined) running.add(idempotency.key);
    try {
      const document = await request.body(creationOf(settings, preferences, store.owner), { decoders });
      const creation = await store.create(document, idempotency && { idempotency });
      switch (creation.kind) {
        case "conflict":
          return refuseValue(creation.member);
        case "key-reused":
          return refuseReusedKey();
        case "ownerless":
          return store.owner === undefined ? notFound() : refuseOwner(store.owner);
        case "created":
        case "repeated": {
          const { record } = creation;
          const { id, revision } = creation.kind === "created" ? creation.record : creation;
          const url = collectionUrl(request, "collection");
          const written = { record, path: `${request.path}/${id}`, url, validators: true };
          const answer = created({ id, revision }, `${url}/${id}`);
          return answerWritten(request, preferences, settings, answer, written);
        }
      }
    } finally {
      if (idempotency !== undefined) running.delete(idempotency.key);
    }
  };
}

/** Returns the media type of the content, without parameters. */
const typeOf = ({ headers }: HttpRequest<unknown>): string => {
  const { type, subtype } = parseMediaType(headers.get("Content-Type") ?? "") ?? {};
  return `${type}/${subtype}`;
};

/** @throws HttpError 413 when the content is not an array: then it is one record, which is too long */
async function* arrayOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let hasBegun = false;
  for await (const piece of content) {
    if (!hasBegun && !isBlank(piece)) {
      if (!beginsArray(piece)) throw new HttpError(refuseLength(longestRecord));
      hasBegun = true;
    }
    yield piece;
  }
}

/** Returns whether the first byte other than white space begins an array; `[object Object]`, a common slip, is not an array. */
const beginsArray = (content: Uint8Array): boolean =>
  content.find((byte) => !isSpace(byte)) === openBracket && !objectText.every((byte, i) => content[i] === byte);

/** Returns whether the content is only white space. */
const isBlank = (content: Uint8Array): boolean => content.every(isSpace);

const openBracket = 0x5b;
const objectText = new TextEncoder().encode("[object ");

async function* oneOf(content: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield content;
}

/** Makes the handler for a POST to a record, which creates nothing. */
export function refuseCreate({ scope }: CollectionSettings): ItemHandler {
  return async (request) => {
    const id = requireRecordId(request.variables.id);
    refuseParameters(request.search);
    const store = await scope.storeOf(request, "record");
    return (await store.find(id)) === undefined ? notFound() : refuseExisting();
  };
}
