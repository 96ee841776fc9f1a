import { accept, contentType, DELETE, GET, group, not, PATCH, POST, PUT, path, type Route } from "waymark";
import { type DeclarationSite, placeAt, requireOptions, wording } from "waymark/internal";
import type { CollectionHandler, ItemHandler, ListHandler, ReadHandler } from "./settings.ts";

/** The name of a handler of a collection. */
export type Operation = Exclude<keyof RoutedHandlers, `${string}Types`>;

/** The choice of the routes of a collection. */
export interface CollectionRoutesOptions {
  /** The handlers that get no route. A client that asks for them gets the refusal of the router, as a rule 405. */
  readonly without?: readonly Operation[];
}

/** The handlers of a collection that routes are made of, and the media types of these routes. */
export interface RoutedHandlers {
  /** Reads one record: 200; 404 without content if it is missing, 400 if the id is not an integer. */
  readonly read: ReadHandler;
  /**
   * Lists the records that the query asks for: filters on the store's members, `sort`, `limit`, `after`, `before` and
   * `fields`. Without a query it streams all records by id. 400 lists every error in the query.
   */
  readonly list: ListHandler;
  /**
   * Sends what has changed behind the cursor in `after`, the oldest change first; without it, from the beginning. Each record comes
   * once, in its latest state, or as `{"id":7,"removed":true}`. `Link` leads on, also at the end; `Prefer: wait=N` waits for a change.
   * JSON or NDJSON, else 406. 410 if changes before the cursor are lost. Its route is declared before that of `read`, and the others
   * with an `{id}` leave it its path by `not(path("/changes"))`.
   */
  readonly changes: CollectionHandler;
  /**
   * Stores the record that is sent: 201; 400 if it breaks a rule, 409 if another record has its id or a unique value. With
   * `jsonArrayDecoder` or another one with `arrays` among the `listDecoders`, a JSON array of its types is handled as by `createMany`.
   */
  readonly create: CollectionHandler;
  /**
   * Stores the records that are sent, one a line or row: 200 with `{ stored, refused, errors }`. All are stored, or
   * none and every fault is listed (400, 409). With `Prefer: handling=lenient` the good ones are stored.
   */
  readonly createMany: CollectionHandler;
  /**
   * Changes or removes the records that the query finds, or those that the content names: all of them, or none and every fault is
   * listed (400, 409). 200 with `{ matched, updated, unchanged, removed, refused, errors }`. Each record needs the right that its own
   * change needs, as `mayChange` says.
   */
  readonly amendMany: CollectionHandler;
  /**
   * Replaces a record completely, and never creates one: 204, or 404 without content. A client can send back what it
   * has read. The answer has no entity tag, because the record is not stored as it was sent (RFC 9110 §9.3.4).
   */
  readonly replace: ItemHandler;
  /**
   * Changes a record by a JSON Merge Patch (RFC 7396) or a JSON Patch (RFC 6902), completely or not at all: 204 with
   * the new entity tag; 409 if an operation of a JSON Patch cannot be applied.
   */
  readonly amend: ItemHandler;
  /** Removes a record: 200 without content, and 404 after that. */
  readonly remove: ItemHandler;
  /** Answers a POST to a record, which creates nothing: 409 if the record exists, else 404 without content. */
  readonly refuseCreate: ItemHandler;
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
}

/**
 * Makes the routes of a collection, below its path if it has one.
 *
 * @param site of the call that makes them: what is wrong with their path is one error there, and not one of each route
 * @throws TypeError when an option, or a handler to leave out, is unknown
 */
export function collectionRoutes(
  prefix: string | undefined,
  handlers: RoutedHandlers,
  site: DeclarationSite,
  options: CollectionRoutesOptions = {},
): Route {
  requireOptions("routes({ … })", options, { without: "array" });
  const without: readonly string[] = options.without ?? [];
  // Else they would take "changes" for the id of a record, and other methods there would not be a 405.
  const besideChanges = (route: Route): Route =>
    without.includes("changes") ? route : group(not(path("/changes")), route);
  const { itemTypes, listTypes, bodyTypes, createManyTypes, amendTypes, amendManyTypes } = handlers;
  const routes: Readonly<Record<Operation, Route>> = {
    list: GET(accept(...listTypes), handlers.list),
    changes: GET("/changes", handlers.changes),
    read: GET("/{id}", accept(...itemTypes), handlers.read),
    create: POST(contentType(...bodyTypes), handlers.create),
    createMany: POST(contentType(...createManyTypes), handlers.createMany),
    amendMany: PATCH(contentType(...amendManyTypes), handlers.amendMany),
    refuseCreate: besideChanges(POST("/{id}", handlers.refuseCreate)),
    replace: besideChanges(PUT("/{id}", contentType(...bodyTypes), handlers.replace)),
    amend: besideChanges(PATCH("/{id}", contentType(...amendTypes), handlers.amend)),
    remove: besideChanges(DELETE("/{id}", handlers.remove)),
  };
  const names = Object.keys(routes);
  const unknown = without.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const hint = wording.orNearest(wording.nearestName(unknown, names)) || ".";
    throw new TypeError(`A collection has no handler ${wording.quote(unknown)}${hint} Known: ${names.join(", ")}`);
  }
  const kept = Object.entries(routes).flatMap(([name, route]) => (without.includes(name) ? [] : [route]));
  return placeAt(site, prefix === undefined ? group(...kept) : group(prefix, ...kept));
}
