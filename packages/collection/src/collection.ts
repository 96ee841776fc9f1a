import type { Awaitable, HttpResponse, Route } from "waymark";
import { type Description, documented } from "waymark/openapi";
import { checksPath } from "waymark/routing";
import { bulkAdmission } from "./bulk/admission.ts";
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
import { type CollectionOptions, type CollectionSettings, toCollectionSettings } from "./settings.ts";
import type { Document, Store } from "./stores/contract/store.ts";

/** The handlers of a collection for your routes, and the media types that they send and read. */
export interface CollectionHandlers<T extends Document> extends RoutedHandlers {
  /** The store, with records of the type that the schema has. */
  readonly store: Store<T>;
  /** Returns how many follow the changes in this process, and how far behind they are. */
  readonly followers: () => Promise<FollowerFigures>;
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
  const admission = bulkAdmission(settings.bulk);
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

async function followersOf(settings: CollectionSettings): Promise<FollowerFigures> {
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
function describer(
  settings: CollectionSettings,
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
