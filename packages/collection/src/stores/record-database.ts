import type { Awaitable } from "waymark";
import { DeclarationSite, wording } from "waymark/internal";
import type { Database, StoredCollection, StoredOptions } from "../database.ts";
import { StoreReadOnly, StoreUnavailable } from "./contract/errors.ts";
import type { DatabaseObserver } from "./contract/observer.ts";
import type { Document, Store, Transaction } from "./contract/store.ts";
import type { Engine } from "./engine.ts";
import { type Health, observedEngine } from "./observed-engine.ts";
import { OpenTransaction, type Transacted } from "./open-transaction.ts";
import { type OfDatabase, recordStore } from "./record-store.ts";
import { type RestoreTarget, restoreSnapshot } from "./restore.ts";
import { ownersFirst } from "./table/definition.ts";

/** The operations of a kind of database as a whole. */
export interface DatabaseEngine
  extends Pick<Database, "check" | "figures" | "snapshot" | "makeIndexes" | "unusedIndexes" | "resume" | "close"> {
  /** Makes the engine of a collection; called once for each when the database is opened. */
  collection(definition: StoredCollection): Engine;
  restoreTarget(): Promise<RestoreTarget>;
  /**
   * Makes a change without effect.
   *
   * @throws StoreUnavailable (rejects) when changes fail at the moment
   */
  probeChanges(): Promise<void>;
  /**
   * Does work in a transaction, and commits it. Where others come between, it is done again if it may be, in another one.
   *
   * @throws what the work throws; StoreUnavailable and StoreOutcomeUnknown (rejects) as changes do
   */
  transaction<R>(work: (transacted: Transacted) => Promise<R>, mayBeRepeated: () => boolean): Promise<R>;
  /** In milliseconds: how long the work in a transaction may wait for something else. */
  readonly longestWait: number;
}

/** How far `resume` raises ids and revisions: by more than can have been lost. */
export const lostAtMost = 1_000_000;

/** An open database, each of its collections behind a store. */
export function recordDatabase(
  engine: DatabaseEngine,
  { collections, now = () => new Date(), observer }: StoredOptions,
): Database {
  const health: Health = { hasFailed: false, damage: undefined };
  /** Shared by all callers that ask at the same time. */
  let probing: Promise<void> | undefined;
  const probe = async (): Promise<void> => {
    try {
      await engine.probeChanges();
      health.hasFailed = false;
    } finally {
      probing = undefined;
    }
  };
  /** Returns what finds the stores over some engines. */
  const storesOver = (
    engineOf: (definition: StoredCollection) => Engine,
    transact: OfDatabase["transact"],
    observer: DatabaseObserver | undefined,
  ): Transaction => {
    const stores = new Map<string, Store>();
    for (const definition of ownersFirst(collections)) {
      const { name, owner } = definition;
      const observed = observedEngine(engineOf(definition), name, health, observer);
      stores.set(name, recordStore(observed, definition, { now, transact }, owner && stores.get(owner.collection)));
    }
    return {
      store<T extends Document>(collection: string) {
        const store = stores.get(collection);
        if (store === undefined) {
          const names = collections.map(({ name }) => name);
          const hint = wording.orNearest(wording.nearestName(collection, names)) || ".";
          throw new RangeError(
            `The database was opened without ${JSON.stringify(collection)}${hint} Known: ${names.join(", ")}`,
          );
        }
        return store as Store<T>; // The type of the records is what the caller says.
      },
    };
  };
  /** The whole transaction reports what it fails with: it may be done again. */
  const ofOperations: DatabaseObserver = { onOperation: observer?.onOperation?.bind(observer) };
  const transact = async <R>(work: (tx: Transaction) => Awaitable<R>, began: object): Promise<R> => {
    let open: OpenTransaction | undefined;
    try {
      return await engine.transaction(
        (transacted) => {
          const opened = new OpenTransaction(began, engine.longestWait);
          open = opened;
          const inside = (each: StoredCollection): Engine => opened.engine(transacted(each), each);
          return opened.run(() => work(storesOver(inside, refuseWithin, ofOperations)));
        },
        () => open?.mayBeRepeated !== false,
      );
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        health.hasFailed ||= !(error instanceof StoreReadOnly);
        observer?.onUnavailable?.(error);
      }
      throw error;
    }
  };
  const transaction: Database["transaction"] = (work) => transact(work, new DeclarationSite(transaction));
  return {
    ...storesOver((definition) => engine.collection(definition), transact, observer),
    transaction,
    async check() {
      if (health.damage !== undefined) throw health.damage;
      const state = await engine.check();
      if (health.hasFailed && !state.readOnly) {
        probing ??= probe();
        await probing;
      }
      return state;
    },
    figures: () => engine.figures(),
    snapshot: () => engine.snapshot(),
    restore: async (snapshot, options) => restoreSnapshot(await engine.restoreTarget(), snapshot, collections, options),
    makeIndexes: () => engine.makeIndexes(),
    unusedIndexes: (options) => engine.unusedIndexes(options),
    resume: () => engine.resume(),
    close: () => engine.close(),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

const refuseWithin = async (): Promise<never> => {
  throw new TypeError("There is a transaction already: use its stores");
};
