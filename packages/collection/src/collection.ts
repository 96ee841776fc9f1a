import {
  type Awaitable,
  created as createdAt,
  type Decoder,
  evaluatePreconditions,
  type HttpRequest,
  HttpResponse,
  jsonDecoder,
  noContent,
  notFound,
  notModified,
  ok,
  type StandardSchemaV1,
} from "waymark";
import { begin } from "./begun-iteration.ts";
import { amendmentOf, replacementOf } from "./item-document.ts";
import { jsonArray } from "./json-array.ts";
import {
  refuseExisting,
  refuseId,
  refusePrecondition,
  refuseUnavailable,
  refuseValue,
  requirePrecondition,
} from "./refusals.ts";
import type { Document, Removal, Replacement, Store, StoredRecord } from "./store.ts";
import { jsonFields, listValidators, recordValidators } from "./validators.ts";

export interface CollectionOptions<T extends Document> {
  /** The path of the collection, without a trailing slash: a record's Location is this, `/` and its id. */
  readonly path: string;
  readonly store: Store;
  /** What a client may send as a record. */
  readonly schema: StandardSchemaV1<unknown, T>;
  /** The formats in which a client may send it. */
  readonly decoders: readonly Decoder[];
  /** The answer once a record is stored; unless told, 201 with the Location (RFC 9110 §15.3.2). */
  readonly created?: (record: StoredRecord, location: string) => HttpResponse;
  /** Refuse a change of a record that names no state it is meant for (428, RFC 6585 §3). Default: false. */
  readonly requirePreconditions?: boolean;
}

/** The handlers of a collection, to be put on routes. */
export interface CollectionHandlers<T extends Document> {
  /** Type only: what a record says. */
  readonly type?: T;
  /** One record as JSON; 404 without content when nobody has the id, 400 when it is not an integer. */
  readonly read: (request: ItemRequest) => Awaitable<HttpResponse>;
  /** Every record in one JSON array, by ascending id, streamed. */
  readonly list: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /** Stores the record that is sent; 400 when it is not one, 409 when a value in it may occur once and does already. */
  readonly create: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Replaces a record by the one that is sent, whole, and never creates one: 204, or 404 without content. What was read
   * can be sent back; without a validator in the answer, since it is not stored as it was sent (RFC 9110 §9.3.4).
   */
  readonly replace: (request: ItemRequest) => Promise<HttpResponse>;
  /** Changes a record by a JSON merge patch (RFC 7396), all of it or nothing: 204 with the new entity tag. */
  readonly amend: (request: ItemRequest) => Promise<HttpResponse>;
  /** Removes a record: 200 without content, and 404 from then on. */
  readonly remove: (request: ItemRequest) => Promise<HttpResponse>;
  /** For a POST to a record, which creates nothing: 409 where there is one, else 404 without content. */
  readonly refuseCreate: (request: ItemRequest) => Promise<HttpResponse>;
}

/** A request for one record. */
export type ItemRequest = HttpRequest<{ readonly id: string }>;

/** The media type that `amend` reads. */
export const mergePatchType = "application/merge-patch+json";

/**
 * A REST collection over a store. Preconditions (RFC 9110 §13) are judged before content is looked at, and hold for the
 * very record that a change replaces. Where the store cannot be used, each handler answers 503 with Retry-After.
 *
 * ```ts
 * const people = collection({ path: "/person", store, schema: personSchema, decoders: [jsonDecoder] });
 * group("/person", GET("/{id}", people.read), GET(people.list), POST(people.create), PUT("/{id}", people.replace));
 * ```
 */
export function collection<T extends Document>(options: CollectionOptions<T>): CollectionHandlers<T> {
  const { path, store, schema, decoders, created = (_record, location) => createdAt(location) } = options;
  const requirePreconditions = options.requirePreconditions ?? false;

  /** Changes a record from the state that the request was judged by, as often as another change comes between. */
  const change = async (
    request: ItemRequest,
    attempt: (
      current: StoredRecord,
      expectedRevision: number | undefined,
    ) => Promise<Removal | Replacement | HttpResponse>,
    changed: (record: StoredRecord) => HttpResponse,
  ): Promise<HttpResponse> => {
    const { id } = request.variables;
    if (!integerPattern.test(id)) return refuseId(id);
    const conditional = preconditionFields.some((name) => request.headers.has(name));
    let current = await store.find(Number(id));
    for (;;) {
      if (current === undefined) return notFound();
      if (evaluatePreconditions(request, recordValidators(current)) !== "pass") return refusePrecondition();
      if (requirePreconditions && !conditional) return requirePrecondition();
      const outcome = await attempt(current, conditional ? current.revision : undefined);
      if (outcome instanceof HttpResponse) return outcome;
      switch (outcome.kind) {
        case "missing":
          return notFound();
        case "conflict":
          return refuseValue(outcome.member);
        case "changed":
          current = outcome.record;
          break;
        case "replaced":
          return changed(outcome.record);
        case "removed":
          return changed(current);
      }
    }
  };

  return {
    read(request) {
      const { id } = request.variables;
      if (!integerPattern.test(id)) return refuseId(id);
      try {
        const record = store.find(Number(id));
        if (!(record instanceof Promise)) return answerRead(request, record);
        return record.then((found) => answerRead(request, found)).catch(refuseUnavailable);
      } catch (error) {
        return refuseUnavailable(error);
      }
    },

    list: guarded(async (request) => {
      // Asked before the records are read: what is written meanwhile makes the tag old, and never the content.
      const validators = listValidators(await store.revision());
      const verdict = evaluatePreconditions(request, validators);
      if (verdict === "failed") return refusePrecondition();
      const response = new HttpResponse(200, jsonFields(validators));
      if (verdict === "not-modified") return notModified(response);
      return response.withBody(await begin(jsonArray(store.list())));
    }),

    create: guarded(async (request) => {
      const document = await request.body(schema, { decoders });
      const creation = await store.create(document);
      if (creation.kind === "conflict") return refuseValue(creation.member);
      return created(creation.record, `${path}/${creation.record.id}`);
    }),

    replace: guarded((request) =>
      change(
        request,
        async (current, expectedRevision) => {
          const document = await request.body(replacementOf(schema, current), { decoders });
          return store.replace(current.id, document, expectedRevision);
        },
        noContent,
      ),
    ),

    amend: guarded((request) =>
      change(
        request,
        async (current) => {
          const document = await request.body(amendmentOf(schema, current), { decoders: [mergePatchDecoder] });
          // The patch was made of this state and of no other.
          return store.replace(current.id, document, current.revision);
        },
        (record) => noContent().withHeader("ETag", recordValidators(record).entityTags[0]),
      ),
    ),

    remove: guarded((request) =>
      change(request, (current, expectedRevision) => store.remove(current.id, expectedRevision), ok),
    ),

    refuseCreate: guarded(async ({ variables: { id } }) => {
      if (!integerPattern.test(id)) return refuseId(id);
      return (await store.find(Number(id))) === undefined ? notFound() : refuseExisting();
    }),
  };
}

/** Canonical decimal form, so that each record has one path. */
const integerPattern = /^(?:0|-?[1-9][0-9]*)$/;

/** Those that a change can name its state by. */
const preconditionFields = ["If-Match", "If-Unmodified-Since", "If-None-Match"];

const mergePatchDecoder: Decoder = { ...jsonDecoder, mediaTypes: [mergePatchType] };

function answerRead(request: ItemRequest, record: StoredRecord | undefined): HttpResponse {
  if (record === undefined) return notFound();
  const validators = recordValidators(record);
  const verdict = evaluatePreconditions(request, validators);
  if (verdict === "failed") return refusePrecondition();
  const response = new HttpResponse(200, jsonFields(validators), record.json);
  return verdict === "pass" ? response : notModified(response);
}

/** The handler with the store's being unavailable answered. */
function guarded<R>(handler: (request: R) => Promise<HttpResponse>): (request: R) => Promise<HttpResponse> {
  return (request) => handler(request).catch(refuseUnavailable);
}
