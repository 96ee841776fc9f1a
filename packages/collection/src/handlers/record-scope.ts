import { type Awaitable, HttpError, type HttpRequest, notFound, type Variables } from "waymark";
import type { Store } from "../store.ts";
import { refuseId } from "./refusals.ts";

/** Says which records own those of a collection. */
export interface CollectionOwner {
  /** The store of the owners. */
  readonly store: Store;
  /** The path variable with the owner's id; it has the name of the member that the store sets to this id. */
  readonly variable: string;
}

/** The records that a request concerns. */
export interface RecordScope {
  readonly store: Store;
  /** The path of the collection, with the request's variables in it. */
  readonly path: string;
}

/**
 * Makes the function that finds the records for a request: all records of the store, or those of the owner that the path names.
 * It throws or rejects with an HttpError: 404 without content when no owner has the id, 400 when the id is not an integer.
 */
export function recordScope(
  path: string,
  store: Store,
  owner: CollectionOwner | undefined,
): (request: HttpRequest<unknown>) => Awaitable<RecordScope> {
  if (owner === undefined && !path.includes("{")) {
    const whole: RecordScope = { store, path };
    return () => whole;
  }
  const pathOf = pathWith(path);
  if (owner === undefined) return (request) => ({ store, path: pathOf(request) });
  return (request) => {
    const text = variableOf(request, owner.variable);
    const id = parseRecordId(text);
    if (id === undefined) throw new HttpError(refuseId(text));
    const within = (found: unknown): RecordScope => {
      if (found === undefined) throw new HttpError(notFound());
      return { store: store.within(id), path: pathOf(request) };
    };
    const found = owner.store.find(id);
    return found instanceof Promise ? found.then(within) : within(found);
  };
}

function pathWith(template: string): (request: HttpRequest<unknown>) => string {
  return (request) => template.replace(/\{([^{}]*)\}/g, (_, name) => encodeURIComponent(variableOf(request, name)));
}

function variableOf({ variables }: HttpRequest<unknown>, name: string): string {
  const value = (variables as Variables)[name]; // the variables of the route's path
  if (typeof value !== "string") throw new RangeError(`The path of the route has no variable {${name}}`);
  return value;
}

/**
 * Reads the id in the last segment of a record's path. Returns undefined unless it is an integer in canonical decimal form: each
 * record has exactly one path.
 */
export function parseRecordId(segment: string): number | undefined {
  return canonicalInteger.test(segment) ? Number(segment) : undefined;
}

const canonicalInteger = /^(?:0|-?[1-9][0-9]*)$/;
