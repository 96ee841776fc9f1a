/** Returns what is wrong with a path for a handler, as a sentence without its full stop; undefined when nothing is. */
export type PathCheck = (template: string) => string | undefined;

/** The key under which a handler has its check. */
const checkKey: unique symbol = Symbol("pathCheck");

/**
 * Gives a handler a check of the paths on which it stands. The router calls it with the whole path of each of the handler's
 * routes when it is built, and refuses a route with the message: for a factory of handlers that read path variables by
 * names which the types of the program cannot know.
 *
 * ```ts
 * const needsId = (template: string) => (template.includes("{id}") ? undefined : `The path "${template}" has no {id}`);
 * const read = checksPath(needsId, (request: HttpRequest) => json(find(request.variables.id)));
 * ```
 *
 * @template H the type of the handler
 * @returns the handler itself
 */
export function checksPath<H extends (...args: never[]) => unknown>(check: PathCheck, handler: H): H {
  return Object.assign(handler, { [checkKey]: check });
}

/** Returns what a handler finds wrong with its path; undefined where it checks none. */
export function findingInPath(handler: object, template: string): string | undefined {
  // Set by `checksPath` only.
  return (handler as { readonly [checkKey]?: PathCheck })[checkKey]?.(template);
}
