import type { Awaitable, HttpRequest, HttpResponse } from "waymark";
import { createMany } from "./bulk/create-many.ts";
import { amendRecord, amendTypes, removeRecord, replaceRecord } from "./handlers/change.ts";
import { createRecord, refuseCreate } from "./handlers/create.ts";
import { listRecords } from "./handlers/list.ts";
import { readRecord } from "./handlers/read.ts";
import { type CollectionOptions, type ItemRequest, settle } from "./settings.ts";
import type { Document } from "./store.ts";

/** The handlers of a collection, to be put on routes, and the media types that they answer and read. */
export interface CollectionHandlers<T extends Document> {
  /** Type only: what a record says. */
  readonly type?: T;
  /** One record; 404 without content when nobody has the id, 400 when it is not an integer. */
  readonly read: (request: ItemRequest) => Awaitable<HttpResponse>;
  /**
   * The records that the query asks for, by filters on the store's members, `sort`, `limit`, `after`, `before` and `fields`:
   * without it all, by ascending id, streamed. 400 with all that is wrong with the query.
   */
  readonly list: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Stores the record that is sent; 400 when it is not one, 409 when a value in it may occur once and does already. A JSON array is
   * taken as by `createMany`, where `listDecoders` has `jsonArrayDecoder`.
   */
  readonly create: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Stores the records that are sent, one a line or row: all of them, or none and what is wrong with each (400, 409). With
   * `Prefer: handling=lenient` those that are good. 200 with `{ stored, refused, errors }`.
   */
  readonly createMany: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Replaces a record by the one that is sent, whole, and never creates one: 204, or 404 without content. What was read
   * can be sent back; without a validator in the answer, since it is not stored as it was sent (RFC 9110 §9.3.4).
   */
  readonly replace: (request: ItemRequest) => Promise<HttpResponse>;
  /**
   * Changes a record by a JSON merge patch (RFC 7396) or a JSON Patch (RFC 6902), all of it or nothing: 204 with the new
   * entity tag; 409 when an operation of a JSON Patch cannot be done.
   */
  readonly amend: (request: ItemRequest) => Promise<HttpResponse>;
  /** Removes a record: 200 without content, and 404 from then on. */
  readonly remove: (request: ItemRequest) => Promise<HttpResponse>;
  /** For a POST to a record, which creates nothing: 409 where there is one, else 404 without content. */
  readonly refuseCreate: (request: ItemRequest) => Promise<HttpResponse>;
  /** What `read` can answer with, the preferred first, for the `accept` of its route. */
  readonly itemTypes: readonly string[];
  /** What `list` can answer with, likewise. */
  readonly listTypes: readonly string[];
  /** What `createMany` reads, for the `contentType` of its route. */
  readonly createManyTypes: readonly string[];
  /** What `amend` reads, for the `contentType` of its route. */
  readonly amendTypes: readonly string[];
}

/**
 * A REST collection over a store. Preconditions (RFC 9110 §13) are judged before content is looked at, and hold for the
 * very record that a change replaces. Where the store cannot be used, each handler answers 503 with Retry-After.
 *
 * ```ts
 * const people = collection({ path: "/person", store, schema: personSchema, decoders: [jsonDecoder] });
 * group("/person",
 *   GET("/{id}", accept(...people.itemTypes), people.read),
 *   GET(accept(...people.listTypes), people.list),
 *   POST(people.create),
 *   PUT("/{id}", people.replace));
 * ```
 *
 * @throws TypeError when the representations cannot be told apart, or none of them has a form for one record or for many
 * @throws RangeError when a limit is out of its bounds
 */
export function collection<T extends Document>(options: CollectionOptions<T>): CollectionHandlers<T> {
  const settings = settle(options);
  const bulkCreate = createMany(settings);
  return {
    read: readRecord(settings),
    list: listRecords(settings),
    create: createRecord(settings, bulkCreate),
    createMany: (request) => bulkCreate(request),
    replace: replaceRecord(settings),
    amend: amendRecord(settings),
    remove: removeRecord(settings),
    refuseCreate: refuseCreate(settings),
    itemTypes: settings.items.map(({ mediaType }) => mediaType),
    listTypes: settings.lists.map(({ mediaType }) => mediaType),
    createManyTypes: settings.listDecoders.flatMap(({ mediaTypes }) => mediaTypes),
    amendTypes,
  };
}
