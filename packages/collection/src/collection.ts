import type { Route } from "waymark";
import { DeclarationSite } from "waymark/internal";
import { bulkAdmission } from "./bulk/admission.ts";
import { amendMany } from "./bulk/amend-many.ts";
import { bulkCreate, createMany } from "./bulk/create-many.ts";
import { amendRecord, amendTypes, removeRecord, replaceRecord } from "./handlers/change.ts";
import { readChanges } from "./handlers/changes.ts";
import { createRecord, refuseCreate } from "./handlers/create.ts";
import { listRecords } from "./handlers/list.ts";
import { readRecord } from "./handlers/read.ts";
import type { CollectionOptions } from "./options.ts";
import { amendmentOfManyDecoder } from "./patch/amendment-of-many.ts";
import { type CollectionRoutesOptions, collectionRoutes, type RoutedHandlers } from "./routes.ts";
import { type CollectionSettings, toCollectionSettings } from "./settings.ts";
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
  const settings = toCollectionSettings(options, new DeclarationSite(collection));
  const admission = bulkAdmission(settings.bulk);
  const bulk = bulkCreate(settings, admission);
  const handlers: RoutedHandlers = {
    read: readRecord(settings),
    list: listRecords(settings),
    changes: readChanges(settings),
    create: createRecord(settings, bulk),
    createMany: createMany(settings, bulk),
    amendMany: amendMany(settings, admission),
    replace: replaceRecord(settings),
    amend: amendRecord(settings),
    remove: removeRecord(settings),
    refuseCreate: refuseCreate(settings),
    itemTypes: settings.items.map(({ mediaType }) => mediaType),
    listTypes: settings.lists.map(({ mediaType }) => mediaType),
    bodyTypes: settings.decoders.flatMap(({ mediaTypes }) => mediaTypes),
    createManyTypes: settings.listDecoders.flatMap(({ mediaTypes }) => mediaTypes),
    amendTypes,
    amendManyTypes: amendmentOfManyDecoder.mediaTypes,
  };
  const routes = (routesOptions?: CollectionRoutesOptions): Route =>
    collectionRoutes(settings.path, handlers, new DeclarationSite(routes), routesOptions);
  return {
    ...handlers,
    // The schema validated its records, or the caller stored them directly.
    store: options.store as Store<T>,
    followers: () => followersOf(settings),
    routes,
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
}

async function followersOf(settings: CollectionSettings): Promise<FollowerFigures> {
  const { store, followers, waitingShares } = settings;
  const { size, revision } = followers;
  const last = async (): Promise<number> => store.revision();
  const changesBehind =
    revision === undefined
      ? 0
      : await last().then(
          (present) => Math.max(0, present - revision),
          () => Number.NaN,
        );
  return { streams: size, waiting: waitingShares.total, changesBehind };
}
