import { type Awaitable, andThen } from "../common/and-then.ts";
import { DeclarationSite } from "../common/declaration.ts";
import { type AroundOptions, aroundTaking, type Filter, type NeededByFilter } from "../filter.ts";
import { type Inputs, type Provider, withProvided } from "../input/taken.ts";
import type { Takes } from "../input/takes.ts";
import type { NoVariables } from "../path/pattern.ts";
import type { HttpRequest } from "../request.ts";
import { HttpResponse } from "../response.ts";

/** A filter that hands a value of the type T to what is inside its group. */
export type ProvidingFilter<K extends string, T, N = NoVariables> = Filter<N> & Provider<K, T>;

/** What can be said of a filter that provides: how it refuses, for instance. None of its requests passes it by. */
export type ProvideOptions = Omit<AroundOptions, "exceptMethods">;

/** The value that a function returns, unless it refuses the request by a response. */
type Provided<R> = Exclude<Awaited<R>, HttpResponse | Response>;

/**
 * Makes a filter that hands a value to the handlers and filters inside its group. They take it by `takes(…)`, typed; one for
 * which no group provides it does not compile. A response in the place of the value refuses the request.
 *
 * ```ts
 * const signedIn = provide("caller", (request) => callers.get(request.header("Authorization") ?? "") ?? empty(401), {
 *   describes: { responses: { 401: { description: "The credentials are missing or unknown." } } },
 * });
 * group("/notes", signedIn, GET(takes(signedIn), (_, { caller }) => json(notesOf(caller))))
 * ```
 *
 * @param name that of the value in the input; not `variables`, `query`, `fields`, `body` or `form`, which are what a request has
 * @throws TypeError for such a name
 */
export function provide<const K extends string, R, N = NoVariables>(
  name: K,
  make: (request: HttpRequest<N>) => R,
  options?: ProvideOptions,
): ProvidingFilter<K, Provided<R>, NeededByFilter<N>>;
export function provide<const K extends string, R, I, N>(
  name: K,
  taken: Takes<I, N>,
  make: (request: HttpRequest, input: I) => R,
  options?: ProvideOptions,
): ProvidingFilter<K, Provided<R>, N>;
export function provide(name: string, ...takenAndMake: readonly unknown[]): Filter<never> & Provider {
  requireFreeName(name);
  const filter = aroundTaking(new DeclarationSite(provide), takenAndMake, (make) => (request, next, input) => {
    // The function that was given takes no `next`.
    const made = (make as (...args: readonly unknown[]) => Awaitable<unknown>)(request, input);
    return andThen(made, (value) =>
      // The pipeline makes a response of either.
      isResponse(value) ? (value as HttpResponse) : next(withProvided(request, name, value)),
    );
  });
  return { ...filter, provided: { name } };
}

const isResponse = (value: unknown): boolean => value instanceof HttpResponse || value instanceof Response;

/** An input of the same name would hide the value, or be mixed with it. */
function requireFreeName(name: string): void {
  if (!places.some((place) => place === name)) return;
  throw new TypeError(`provide(${JSON.stringify(name)}, …) needs another name: that is an input of the request`);
}

const places = ["variables", "query", "fields", "body", "form"] as const satisfies readonly (keyof Inputs)[];
