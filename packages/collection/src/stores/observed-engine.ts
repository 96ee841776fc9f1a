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
  /** Returns when an operation begins; 0 where no observer asks how long it takes. */
  const begin = (): number => (observer?.onOperation === undefined ? 0 : performance.now());

  const report = (name: StoreOperation["name"], started: number, error: unknown): void => {
    if (error instanceof StoreDamaged) health.damage ??= error;
    if (error instanceof StoreUnavailable) observer?.onUnavailable?.(error);
    observer?.onOperation?.({ collection, name, milliseconds: performance.now() - started, error });
  };

  /** Reports in the asynchronous context of the caller. Returns the result unchanged, a value or a promise. */
  const observe = <R>(name: StoreOperation["name"], read: () => R): R => {
    const started = begin();
    let result: R;
    try {
      result = read();
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

  const change = async <T>(name: StoreOperation["name"], make: () => Promise<T>): Promise<T> => {
    const started = begin();
    try {
      const outcome = await make();
      health.hasFailed = false;
      report(name, started, undefined);
      return outcome;
    } catch (error) {
      // A check of a read-only database reports that by itself.
      if (error instanceof StoreUnavailable && !(error instanceof StoreReadOnly)) health.hasFailed = true;
      report(name, started, error);
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
