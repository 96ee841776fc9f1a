import type { AnswerSource, Awaitable } from "waymark";
import type { DatabaseObserver, StoreOperation } from "../observer.ts";
import type { Selection } from "../selection.ts";
import type {
  BulkChange,
  CountOptions,
  DocumentSource,
  EachCreation,
  ReadOptions,
  RecordBatch,
  StoredRecord,
} from "../store.ts";
import { StoreReadOnly, StoreUnavailable } from "../store-errors.ts";
import type { BulkSource } from "./bulk-source.ts";
import type { Claim } from "./decide.ts";
import type { Engine, EngineBatch, EngineChanges, FeedRange } from "./engine.ts";
import type { NewRecord, OutcomeOf, Write } from "./write.ts";

/** The state of changes that the engines of a database share. */
export interface WriteHealth {
  /** Whether the last change failed because the database could not be used. */
  hasFailed: boolean;
}

/** Passes every call on to an engine, reports its result to an observer, and notes whether changes can be made. */
export class ObservedEngine implements Engine {
  readonly source: AnswerSource | undefined;
  readonly #engine: Engine;
  readonly #collection: string;
  readonly #health: WriteHealth;
  readonly #observer: DatabaseObserver | undefined;

  constructor(engine: Engine, collection: string, health: WriteHealth, observer: DatabaseObserver | undefined) {
    this.source = engine.source;
    this.#engine = engine;
    this.#collection = collection;
    this.#health = health;
    this.#observer = observer;
  }

  find(id: number, owner: number | undefined): Awaitable<StoredRecord | undefined> {
    if (this.#observer === undefined) return this.#engine.find(id, owner);
    return this.#observe("find", () => this.#engine.find(id, owner));
  }

  batch(selection: Selection, owner: number | undefined, options: ReadOptions): Awaitable<EngineBatch> {
    if (this.#observer === undefined) return this.#engine.batch(selection, owner, options);
    return this.#observeBatch(() => this.#engine.batch(selection, owner, options));
  }

  #observeBatch<B extends RecordBatch>(read: () => Awaitable<B>): Awaitable<B> {
    const observed = (found: B): B => {
      const { next } = found;
      return { ...found, next: next && (() => this.#observeBatch(next)) };
    };
    const batch = this.#observe("list", read);
    return batch instanceof Promise ? batch.then(observed) : observed(batch);
  }

  async count(selection: Selection, owner: number | undefined, options: CountOptions): Promise<number> {
    return this.#observe("count", () => this.#engine.count(selection, owner, options));
  }

  changes(range: FeedRange): Awaitable<EngineChanges> {
    return this.#observe("changes", () => this.#engine.changes(range));
  }

  async conflicts(claims: readonly Claim[]): Promise<readonly (string | undefined)[]> {
    return this.#observe("conflicts", () => this.#engine.conflicts(claims));
  }

  revisions(): Awaitable<readonly number[]> {
    if (this.#observer === undefined) return this.#engine.revisions();
    return this.#observe("revision", () => this.#engine.revisions());
  }

  async write<W extends Write>(write: W): Promise<OutcomeOf<W>> {
    return this.#change(write.kind === "add" ? "create" : write.kind, () => this.#engine.write(write));
  }

  async createEach(
    records: readonly NewRecord[],
    source: DocumentSource | undefined,
  ): Promise<readonly PromiseSettledResult<EachCreation>[]> {
    const settled = await this.#change("createEach", () => this.#engine.createEach(records, source));
    const fault = settled.find((each) => each.status === "rejected")?.reason;
    if (fault instanceof StoreUnavailable && !(fault instanceof StoreReadOnly)) {
      this.#health.hasFailed = true;
      this.#observer?.onUnavailable?.(fault);
    }
    return settled;
  }

  async createAll(source: BulkSource): Promise<BulkChange> {
    return this.#change("createAll", () => this.#engine.createAll(source));
  }

  async #change<T>(name: StoreOperation["name"], change: () => Promise<T>): Promise<T> {
    try {
      const outcome = await this.#observe(name, change);
      this.#health.hasFailed = false;
      return outcome;
    } catch (error) {
      // A check of a read-only database reports that by itself.
      if (error instanceof StoreUnavailable && !(error instanceof StoreReadOnly)) this.#health.hasFailed = true;
      throw error;
    }
  }

  /** Reports in the asynchronous context of the caller. Returns the result unchanged, a value or a promise. */
  #observe<R>(name: StoreOperation["name"], operation: () => R): R {
    const observer = this.#observer;
    if (observer === undefined) return operation();
    const started = observer.onOperation === undefined ? 0 : performance.now();
    let result: R;
    try {
      result = operation();
    } catch (error) {
      this.#report(observer, name, started, error);
      throw error;
    }
    if (result instanceof Promise) {
      result.then(
        () => this.#report(observer, name, started, undefined),
        (error: unknown) => this.#report(observer, name, started, error),
      );
    } else if (observer.onOperation !== undefined) this.#report(observer, name, started, undefined);
    return result;
  }

  #report(observer: DatabaseObserver, name: StoreOperation["name"], started: number, error: unknown): void {
    if (error instanceof StoreUnavailable) observer.onUnavailable?.(error);
    observer.onOperation?.({
      collection: this.#collection,
      name,
      milliseconds: performance.now() - started,
      error,
    });
  }
}
