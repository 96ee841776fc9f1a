import type { Awaitable } from "waymark";
import { andThen } from "waymark/internal";
import { StoreDamaged, StoreReadOnly, StoreUnavailable } from "./contract/errors.ts";
import type { DatabaseObserver, StoreOperation } from "./contract/observer.ts";
import type { RecordBatch } from "./contract/store.ts";
import type { Engine } from "./engine.ts";

/** The state of a database that its engines share. */
export interface Health {
  /** Whether the last change failed because the database could not be used. */
  hasFailed: boolean;
  /** The first damage that was found. */
  damage: StoreDamaged | undefined;
}

/** Returns an engine that passes every call on, reports its result to an observer, and notes whether changes can be made. */
export function observedEngine(
  engine: Engine,
  collection: string,
  health: Health,
  observer: DatabaseObserver | undefined,
): Engine {
  const note = (error: unknown): void => {
    if (error instanceof StoreDamaged) health.damage ??= error;
  };

  const report = (name: StoreOperation["name"], started: number, error: unknown): void => {
    note(error);
    if (error instanceof StoreUnavailable) observer?.onUnavailable?.(error);
    observer?.onOperation?.({ collection, name, milliseconds: performance.now() - started, error });
  };

  /** Reports in the asynchronous context of the caller. Returns the result unchanged, a value or a promise. */
  const observe = <R>(name: StoreOperation["name"], operation: () => R): R => {
    const started = observer?.onOperation === undefined ? 0 : performance.now();
    let result: R;
    try {
      result = operation();
    } catch (error) {
      report(name, started, error);
      throw error;
    }
    if (result instanceof Promise) {
      result.then(
        () => report(name, started, undefined),
        (error: unknown) => report(name, started, error),
      );
    } else if (observer?.onOperation !== undefined) report(name, started, undefined);
    return result;
  };

  const observeBatch = <B extends RecordBatch>(read: () => Awaitable<B>): Awaitable<B> => {
    const observed = (found: B): B => {
      const { next } = found;
      return { ...found, next: next && (() => observeBatch(next)) };
    };
    return andThen(observe("list", read), observed);
  };

  /** A check of a read-only database reports that by itself. */
  const isFailure = (error: unknown): error is StoreUnavailable =>
    error instanceof StoreUnavailable && !(error instanceof StoreReadOnly);

  const change = async <T>(name: StoreOperation["name"], make: () => Promise<T>): Promise<T> => {
    try {
      const outcome = await observe(name, make);
      health.hasFailed = false;
      return outcome;
    } catch (error) {
      if (isFailure(error)) health.hasFailed = true;
      throw error;
    }
  };

  return {
    source: engine.source,
    listen: engine.listen,
    find: (id, owner) => observe("find", () => engine.find(id, owner)),
    batch: (selection, owner, options) => observeBatch(() => engine.batch(selection, owner, options)),
    count: (selection, owner, options) => observe("count", () => engine.count(selection, owner, options)),
    changes: (range) => observe("changes", () => engine.changes(range)),
    keyed: (owner, key) => observe("find", () => engine.keyed(owner, key)),
    revision: () => observe("revision", () => engine.revision()),
    state: () => observe("revision", () => engine.state()),
    write: (write) => change(write.kind, () => engine.write(write)),
    createAll: (source) => change("createAll", () => engine.createAll(source)),
  };
}
