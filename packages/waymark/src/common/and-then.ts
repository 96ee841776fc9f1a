/** A value or a promise of one. A value is passed on at once, so synchronous handlers stay synchronous. */
export type Awaitable<T> = T | Promise<T>;

/** Returns whether the value must be waited for. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Calls `next` with the value, at once where it is there: what is synchronous stays so, and costs no promise.
 *
 * @param failed called with the error of a promise that rejects; an error that `next` throws goes to the caller
 */
export function andThen<T, R>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<R>,
  failed?: (error: unknown) => Awaitable<R>,
): Awaitable<R> {
  // Promise.resolve gives a promise back as it is; what only has a `then` becomes one.
  return isPromise(value) ? Promise.resolve(value).then(next, failed) : next(value);
}
