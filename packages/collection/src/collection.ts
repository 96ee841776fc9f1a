import type { Awaitable, HttpRequest, HttpResponse, Route } from "waymark";
import { type Description, documented } from "waymark/openapi";
import { checksPath } from "waymark/routing";
import { BulkAdmission } from "./bulk/admission.ts";
import { amendMany } from "./bulk/amend-many.ts";
import { createMany } from "./bulk/create-many.ts";
import { describedAt } from "./description/described-collection.ts";
import { describeOperations, type Operation } from "./description/operations.ts";
import { answeringErrors } from "./handlers/answered-errors.ts";
import { amendRecord, amendTypes, removeRecord, replaceRecord } from "./handlers/change.ts";
import { readChanges } from "./handlers/changes.ts";
import { createRecord, refuseCreate } from "./handlers/create.ts";
import { listRecords } from "./handlers/list.ts";
import { readRecord } from "./handlers/read.ts";
import { amendmentOfManyDecoder } from "./patch/amendment-of-many.ts";
import type { Addressed } from "./record-scope.ts";
import { type CollectionRoutesOptions, collectionRoutes, type RoutedHandlers } from "./routes.ts";
import { type CollectionOptions, type CollectionSettings, type ItemRequest, toCollectionSettings } from "./settings.ts";
import type { Document, Store } from "./store.ts";

/** The handlers of a collection for your routes, and the media types that they send and read. */
export interface CollectionHandlers<T extends Document> {
  /** The store, with records of the type that the schema has. */
  readonly store: Store<T>;
  /** Reads one record: 200; 404 without content if it is missing, 400 if the id is not an integer. */
  readonly read: (request: ItemRequest) => Awaitable<HttpResponse>;
  /**
   * Lists the records that the query asks for: filters on the store's members, `sort`, `limit`, `after`, `before` and
   * `fields`. Without a query it streams all records by id. 400 lists every error in the query.
   */
  readonly list: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Sends what has changed behind the cursor in `after`, the oldest change first; without it, from the beginning. Each record comes
   * once, in its latest state, or as `{"id":7,"removed":true}`. `Link` leads on, also at the end; `Prefer: wait=N` waits for a change.
   * JSON or NDJSON, else 406. 410 if changes before the cursor are lost. Its route is declared before that of `read`, and the others
   * with an `{id}` leave it its path by `not(path("/changes"))`.
   */
  readonly changes: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Stores the record that is sent: 201; 400 if it breaks a rule, 409 if another record has its id or a unique value. With
   * `jsonArrayDecoder` or another one with `arrays` among the `listDecoders`, a JSON array of its types is handled as by `createMany`.
   */
  readonly create: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Stores the records that are sent, one a line or row: 200 with `{ stored, refused, errors }`. All are stored, or
   * none and every fault is listed (400, 409). With `Prefer: handling=lenient` the good ones are stored.
   */
  readonly createMany: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Changes or removes the records that the query finds, or those that the content names: all of them, or none and every fault is
   * listed (400, 409). 200 with `{ matched, updated, unchanged, removed, refused, errors }`. Each record needs the right that its own
   * change needs, as `mayChange` says.
   */
  readonly amendMany: (request: HttpRequest<unknown>) => Promise<HttpResponse>;
  /**
   * Replaces a record completely, and never creates one: 204, or 404 without content. A client can send back what it
   * has read. The answer has no entity tag, because the record is not stored as it was sent (RFC 9110 §9.3.4).
   */
  readonly replace: (request: ItemRequest) => Promise<HttpResponse>;
  /**
   * Changes a record by a JSON Merge Patch (RFC 7396) or a JSON Patch (RFC 6902), completely or not at all: 204 with
   * the new entity tag; 409 if an operation of a JSON Patch cannot be applied.
   */
  readonly amend: (request: ItemRequest) => Promise<HttpResponse>;
  /** Removes a record: 200 without content, and 404 after that. */
  readonly remove: (request: ItemRequest) => Promise<HttpResponse>;
  /** Answers a POST to a record, which creates nothing: 409 if the record exists, else 404 without content. */
  readonly refuseCreate: (request: ItemRequest) => Promise<HttpResponse>;
  /** Returns how many follow the changes in this process, and how far behind they are. */
  readonly followers: () => Promise<FollowerFigures>;
  /** The media types that `read` can send, the preferred first, for the `accept` of its route. */
  readonly itemTypes: readonly string[];
  /** The media types that `list` can send, the preferred first, for the `accept` of its route. */
  readonly listTypes: readonly string[];
  /** The media types that `create` and `replace` read, for the `contentType` of their routes. */
  readonly bodyTypes: readonly string[];
  /** The media types that `createMany` reads, for the `contentType` of its route. */
  readonly createManyTypes: readonly string[];
  /** The media types that `amend` reads, for the `contentType` of its route. */
  readonly amendTypes: readonly string[];
  /** The media types that `amendMany` reads, for the `contentType` of its route. */
  readonly amendManyTypes: readonly string[];
  /**
   * Makes the routes of the collection, each with its handler and its media types: all, or all but those that are named.
   *
   * ```ts
   * router(books.routes());
   * router(books.routes({ without: ["remove", "createMany"] }));
   * ```
   *
   * @throws TypeError when a name is not that of a handler
   */
  readonly routes: (options?: CollectionRoutesOptions) => Route;
}

/**
 * Makes the handlers of a REST collection over a store. Preconditions (RFC 9110 §13) are evaluated before content is
 * read, and hold for the state that a change replaces. If the store cannot be used, each handler answers 503 with
 * Retry-After.
 *
 * ```ts
 * const people = collection({ store, schema: personSchema, decoders: [jsonDecoder] });
 * group("/person",
 *   GET("/{id}", accept(...people.itemTypes), people.read),
 *   GET(accept(...people.listTypes), people.list),
 *   POST(people.create),
 *   PUT("/{id}", people.replace));
 * ```
 *
 * @throws TypeError when two representations share a name or a media type, or no representation is for single records or for lists
 * @throws RangeError when a limit is out of its bounds
 */
export function collection<T extends Document>(options: CollectionOptions<T>): CollectionHandlers<T> {
  const settings = toCollectionSettings(options);
  const described = describer(settings);
  const admission = new BulkAdmission(settings.bulk);
  const bulkCreate = createMany(settings, admission);
  const handlers: RoutedHandlers = {
    read: described("read", readRecord(settings)),
    list: described("list", listRecords(settings)),
    changes: described("changes", readChanges(settings)),
    create: described("create", createRecord(settings, bulkCreate)),
    createMany: described("createMany", (request) => bulkCreate(request)),
    amendMany: described("amendMany", amendMany(settings, admission)),
    replace: described("replace", replaceRecord(settings)),
    amend: described("amend", amendRecord(settings)),
    remove: described("remove", removeRecord(settings)),
    refuseCreate: described("refuseCreate", refuseCreate(settings)),
    itemTypes: settings.items.map(({ mediaType }) => mediaType),
    listTypes: settings.lists.map(({ mediaType }) => mediaType),
    bodyTypes: settings.decoders.flatMap(({ mediaTypes }) => mediaTypes),
    createManyTypes: settings.listDecoders.flatMap(({ mediaTypes }) => mediaTypes),
    amendTypes,
    amendManyTypes: amendmentOfManyDecoder.mediaTypes,
  };
  return {
    ...handlers,
    // The schema validated its records, or the caller stored them directly.
    store: options.store as Store<T>,
    followers: () => followersOf(settings),
    routes: (routesOptions) => collectionRoutes(settings.path, handlers, routesOptions),
  };
}

/** The followers of a collection in one process. */
export interface FollowerFigures {
  /** Open event streams. */
  readonly streams: number;
  /** Requests that wait for a change. */
  readonly waiting: number;
  /** How many changes the event stream that is furthest behind does not have, at most; NaN while the store cannot be used. */
  readonly changesBehind: number;
  /** For how long, in whole seconds. */
  readonly secondsBehind: number;
}

async function followersOf<T extends Document>(settings: CollectionSettings<T>): Promise<FollowerFigures> {
  const { store, eventStreams, waitingShares } = settings;
  const { size, secondsBehind, revision } = eventStreams;
  const last = async (): Promise<number> => store.revision();
  const changesBehind =
    revision === undefined
      ? 0
      : await last().then(
          (present) => Math.max(0, present - revision),
          () => Number.NaN,
        );
  return { streams: size, waiting: waitingShares.total, changesBehind, secondsBehind };
}

/** Returns a function that gives a handler its answers to errors, the description of its operation, and the check of its path. */
function describer<T extends Document>(
  settings: CollectionSettings<T>,
): <R, A extends Awaitable<HttpResponse>>(operation: Operation, handler: (request: R) => A) => typeof handler {
  const byPath = new Map<string, Readonly<Record<Operation, Description>>>();
  const descriptionsAt = (template: string, of: Addressed): Readonly<Record<Operation, Description>> => {
    const place = describedAt(settings, template, of);
    const known = byPath.get(place.path) ?? describeOperations(place);
    byPath.set(place.path, known);
    return known;
  };
  return (operation, handler) => {
    const of = addressed[operation];
    const describe = (template: string): Description => descriptionsAt(template, of)[operation];
    const answering = documented(describe, answeringErrors(handler));
    return checksPath((template) => settings.scope.findingIn(template, of), answering);
  };
}

const addressed: Readonly<Record<Operation, Addressed>> = {
  read: "record",
  list: "collection",
  changes: "changes",
  create: "collection",
  createMany: "collection",
  amendMany: "collection",
  replace: "record",
  amend: "record",
  remove: "record",
  refuseCreate: "record",
};
