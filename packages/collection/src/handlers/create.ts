import { HttpError, type HttpRequest, type HttpResponse, notFound } from "waymark";
import { MediaType } from "waymark/fields";
import type { Description } from "waymark/openapi";
import { stateFields } from "../description/conditions.ts";
import type { DescribedCollection } from "../description/described-collection.ts";
import { contentTypes } from "../description/examples.ts";
import { isSpace } from "../formats/json/json-array.ts";
import { longestRecord } from "../formats/list-decoder.ts";
import { noteChange } from "../layers/change-note.ts";
import { refuseParameters } from "../lists/parameters.ts";
import { collectionProblemTypes as types } from "../problem-types.ts";
import { collectionUrl, requireRecordId } from "../record-scope.ts";
import type { CollectionHandler, CollectionSettings, ItemHandler } from "../settings.ts";
import { hashKey, idempotencyField } from "./idempotency-key.ts";
import { changesRecords, operation } from "./operation.ts";
import { answerWritten, done, preferring, readPreferences, writePreferences } from "./preferences.ts";
import { refuseExisting, refuseLength, refuseOwner, refuseReusedKey, refuseRunning, refuseValue } from "./refusals.ts";
import { creationOf } from "./sent-record.ts";

/** Stores many records. */
export interface BulkCreate {
  /** Stores the records in `content`, or in the content of the request where `content` is left out. */
  readonly store: (request: HttpRequest<unknown>, content?: AsyncIterable<Uint8Array>) => Promise<HttpResponse>;
  /** Describes what it answers. */
  readonly answers: (place: DescribedCollection) => Description;
}

/** Makes the handler for a POST to a collection. */
export function createRecord(settings: CollectionSettings, many: BulkCreate): CollectionHandler {
  const { scope, decoders, created, idempotencyScope, listDecoders, bulk, afterStored } = settings;
  const arrayTypes = listDecoders.flatMap(({ arrays, mediaTypes }) => (arrays ? mediaTypes : []));
  const known = writePreferences(settings);
  /** The keys of the requests in progress. */
  const running = new Set<string>();

  const describeBoth = (place: DescribedCollection): readonly Description[] =>
    describe(place, arrayTypes.length > 0 ? many.answers(place) : {});
  return operation(settings, "collection", describeBoth, async (request) => {
    if (arrayTypes.length > 0 && arrayTypes.includes(typeOf(request))) {
      // Longer content can only be an array. The length of coded content is known only after decoding.
      if (Number(request.header("Content-Length") ?? 0) > longestRecord) {
        return many.store(request, arrayOf(request.stream({ limit: bulk.maxBytes, maxExpansion: bulk.maxExpansion })));
      }
      const content = await request.bytes({ limit: longestRecord });
      if (beginsArray(content)) return many.store(request, oneOf(content));
    }
    if (request.search !== "") refuseParameters(request.search, arrayTypes.length > 0 ? ofOneRecord : undefined);
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
          if (creation.kind === "created") {
            noteChange(request, "created", id);
            await afterStored(creation.record, request);
          }
          const url = collectionUrl(request, "collection");
          const written = { record, path: `${request.path}/${id}`, url, validators: true };
          const answer = created({ id, revision }, `${url}/${id}`);
          return answerWritten(request, preferences, settings, answer, written);
        }
      }
    } finally {
      if (idempotency !== undefined) running.delete(idempotency.key);
    }
  });
}

const ofOneRecord = "one record takes no parameters; an array of records does";

/** @param ofArrays what is answered to many records */
const describe = (place: DescribedCollection, ofArrays: Description): readonly Description[] => {
  const { created, nouns, path, schemas } = place;
  const { status } = created({ id: 1, revision: 1 }, `${path}/1`);
  const answer = done("It is stored.", place);
  const Location = {
    description: `The URL of the ${nouns.one}.`,
    schema: { type: "string", format: "uri-reference" },
    example: `${path}/1`,
  };
  return [
    preferring(writePreferences(place)),
    {
      operationId: `create${nouns.schema}`,
      summary: `Store a ${nouns.one}`,
      headers: idempotencyField,
      content: { types: contentTypes(place, schemas.sent) },
      problems: [types.invalidIdempotencyKey, types.conflict, types.idempotencyKeyInUse, types.idempotencyKeyReused],
    },
    ofArrays,
    { responses: { [status]: { ...answer, headers: { ...answer.headers, ...stateFields, Location } } } },
    changesRecords,
  ];
};

/** Returns the media type of the content, without parameters. */
const typeOf = ({ headers }: HttpRequest<unknown>): string => {
  const { type, subtype } = MediaType.parse(headers.get("Content-Type") ?? "") ?? {};
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
export function refuseCreate(settings: CollectionSettings): ItemHandler {
  return operation(settings, "record", describeRefusal, async (request) => {
    const id = requireRecordId(request.variables.id);
    refuseParameters(request.search);
    const store = await settings.scope.storeOf(request, "record");
    return (await store.find(id)) === undefined ? notFound() : refuseExisting();
  });
}

const describeRefusal = ({ nouns }: DescribedCollection): readonly Description[] => [
  {
    operationId: `create${nouns.schema}Here`,
    summary: "Not allowed: answers 409, or 404",
    description: `Use POST to the collection to store a ${nouns.one}, and PUT or PATCH to change this one.`,
    problems: [types.conflict],
  },
];
