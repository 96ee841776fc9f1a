import { accept, contentType, DELETE, GET, group, not, PATCH, POST, PUT, path, type Route } from "waymark";
import { nearestName, orNearest, quote, requireKnownOptions } from "waymark/internal";
import type { Operation } from "./description/operations.ts";
import type { CollectionHandler, ItemHandler, ReadHandler } from "./settings.ts";

/** The choice of the routes of a collection. */
export interface CollectionRoutesOptions {
  /** The handlers that get no route. A client that asks for them gets the refusal of the router, as a rule 405. */
  readonly without?: readonly Operation[];
}

/** The handlers of a collection, and the media types of their routes; see `CollectionHandlers`. */
export interface RoutedHandlers
  extends Readonly<Record<"list" | "changes" | "create" | "createMany" | "amendMany", CollectionHandler>>,
    Readonly<Record<"replace" | "amend" | "remove" | "refuseCreate", ItemHandler>>,
    Readonly<
      Record<
        "itemTypes" | "listTypes" | "bodyTypes" | "createManyTypes" | "amendTypes" | "amendManyTypes",
        readonly string[]
      >
    > {
  readonly read: ReadHandler;
}

/**
 * Makes the routes of a collection, below its path if it has one.
 *
 * @throws TypeError when an option, or a handler to leave out, is unknown
 */
export function collectionRoutes(
  prefix: string | undefined,
  handlers: RoutedHandlers,
  options: CollectionRoutesOptions = {},
): Route {
  requireKnownOptions("routes({ … })", options, ["without"]);
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
    const hint = orNearest(nearestName(unknown, names)) || ".";
    throw new TypeError(`A collection has no handler ${quote(unknown)}${hint} Known: ${names.join(", ")}`);
  }
  const kept = Object.entries(routes).flatMap(([name, route]) => (without.includes(name) ? [] : [route]));
  return prefix === undefined ? group(...kept) : group(prefix, ...kept);
}
