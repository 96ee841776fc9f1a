import { StoreUnavailable } from "./contract/errors.ts";

/** A queue that gives callers their turns one after another, however much one of them asks for. */
export class FairQueue<T> {
  /** The items of each caller in their order; the caller whose turn is next comes first. */
  readonly #callers = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @throws StoreUnavailable when this many items wait, or this many of a caller with a name */
  assertRoom(caller: string, { ofAll, ofCaller }: { readonly ofAll: number; readonly ofCaller: number }): void {
    if (this.#size >= ofAll) throw new StoreUnavailable("Too many requests wait for the database");
    if (caller !== "" && (this.#callers.get(caller)?.size ?? 0) >= ofCaller)
      throw new StoreUnavailable("Too many requests of the caller wait for the database");
  }

  add(caller: string, item: T): void {
    const items = this.#callers.get(caller) ?? new Set();
    this.#callers.set(caller, items.add(item));
    this.#size++;
  }

  /** Takes out an item; does nothing when it does not wait. */
  delete(caller: string, item: T): void {
    const items = this.#callers.get(caller);
    if (items?.delete(item) !== true) return;
    this.#size--;
    if (items.size === 0) this.#callers.delete(caller);
  }

  /** Takes out the first item of the next caller, who comes last then; undefined when nothing waits. */
  take(): T | undefined {
    for (const [caller, items] of this.#callers) {
      for (const item of items) {
        this.delete(caller, item);
        if (this.#callers.delete(caller)) this.#callers.set(caller, items);
        return item;
      }
    }
    return undefined;
  }

  /** Takes out the items one after another, also those that are added meanwhile, until nothing waits. */
  *takeAll(): Generator<T, void, undefined> {
    for (let item = this.take(); item !== undefined; item = this.take()) yield item;
  }
}
