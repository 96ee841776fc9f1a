import type { Awaitable } from "waymark";
import type { StoredCollection } from "../database.ts";
import { StoreNotEmpty } from "./contract/errors.ts";
import type { SnapshotKey } from "./contract/snapshot.ts";
import type { BulkCreation, RecordBatch } from "./contract/store.ts";
import type { Engine } from "./engine.ts";
import { BulkReader, type BulkSource, makeAll } from "./writing/bulk-source.ts";
import type { OutcomeOf, Write } from "./writing/write.ts";

/** Reads and writes the records of a collection in a transaction. Each operation begins when the one before it has ended. */
export interface TransactedEngine extends Pick<Engine, "find" | "batch" | "count" | "keyed" | "write"> {
  /** Keeps a key with the changes. */
  keep(keyed: SnapshotKey): Promise<void>;
  /** Waits until no other transaction has one of these locks, which this one then has until it ends. */
  lock(locks: readonly number[]): Promise<void>;
}

/** Returns the engine of a collection in a transaction. */
export type Transacted = (definition: StoredCollection) => TransactedEngine;

/**
 * A transaction that runs: makes its operations one after another, and ends it where its work does not. What an operation fails with is
 * what the transaction fails with, whatever its work makes of that: a database takes no more of a transaction after an error.
 */
export class OpenTransaction {
  readonly #began: object;
  readonly #limit: number;
  readonly #end = Promise.withResolvers<never>();
  /** Resolves when all operations have ended that were asked for. */
  #last: Promise<unknown> = Promise.resolve();
  /** How many operations run, and how many lists wait for a document, each in a time of its own. */
  #running = 0;
  #deadline: number;
  #timer: NodeJS.Timeout | undefined;
  /** Why there are no more operations; undefined while there may be. */
  #over: Error | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** Why it cannot be committed, although its work went well. */
  #refusal: Error | undefined;
  /** Whether its work can be done once more, since nothing was used up. */
  mayBeRepeated = true;

  /**
   * @param began names the place where it began
   * @param limit in milliseconds: how long its work may wait for something else
   */
  constructor(began: object, limit: number) {
    this.#began = began;
    this.#limit = limit;
    this.#deadline = performance.now() + longest * limit;
    this.#end.promise.catch(() => undefined); // nobody waits for it where the work has thrown
  }

  /** Does the work, and returns its result when all that it has asked for is done. */
  async run<R>(work: () => Awaitable<R>): Promise<R> {
    this.#wait();
    const [outcome] = await Promise.allSettled([Promise.race([Promise.try(work), this.#end.promise])]);
    this.#over ??= new Error(`${this} has ended: await all that is done in it`);
    clearTimeout(this.#timer);
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (outcome.status === "rejected") throw outcome.reason;
    if (this.#refusal !== undefined) throw this.#refusal;
    return outcome.value;
  }

  toString(): string {
    return `The transaction that began at ${this.#began}`;
  }

  /** Returns an engine whose operations are those of the transaction. */
  engine(transacted: TransactedEngine, { name, unique }: StoredCollection): Engine {
    const refuse = (method: string) => (): never => {
      throw new TypeError(`store.${method} of ${name} is not for a transaction: call it outside`);
    };
    return {
      find: (id, owner) => this.#make(() => transacted.find(id, owner)),
      batch: (selection, owner, options) =>
        this.#make(async () => {
          const first = await transacted.batch(selection, owner, options);
          return { ...first, next: this.#later(first.next) };
        }),
      count: (selection, owner, options) => this.#make(() => transacted.count(selection, owner, options)),
      keyed: (owner, key) => this.#make(() => transacted.keyed(owner, key)),
      write: (write) => this.#make(() => transacted.write(write)),
      createAll: (source) => this.#createAll(transacted, unique, source),
      revision: refuse("revision"),
      state: refuse("state"),
      changes: refuse("changes"),
    };
  }

  #later(next: RecordBatch["next"]): RecordBatch["next"] {
    const read = async (readNext: NonNullable<typeof next>): Promise<RecordBatch> => {
      const batch = await readNext();
      return { ...batch, next: this.#later(batch.next) };
    };
    return next && (() => this.#make(() => read(next)));
  }

  /** Makes an operation after those that were asked for before. */
  #make<R>(operation: () => Awaitable<R>): Promise<R> {
    if (performance.now() > this.#deadline) this.#giveUp(`took longer than ${(longest * this.#limit) / 1000} s`);
    if (this.#over !== undefined) return Promise.reject(this.#over);
    this.#begin();
    const made = this.#last.then(() => {
      if (this.#failure !== undefined) throw this.#failure.error;
      return operation();
    });
    this.#last = made
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .then(() => this.#rest());
    return made;
  }

  #begin(): void {
    this.#running++;
    clearTimeout(this.#timer);
  }

  #rest(): void {
    this.#running--;
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#over !== undefined || this.#running > 0) return;
    const reason = `waited for something else than its stores for more than ${this.#limit / 1000} s`;
    this.#timer = setTimeout(() => this.#giveUp(reason), this.#limit);
  }

  #giveUp(reason: string): void {
    this.#over ??= new Error(`${this} was ended, and nothing is stored: it ${reason}`);
    this.#end.reject(this.#over);
  }

  /** Makes the changes of a list one by one, each in the state that those before it have left. */
  async #createAll(transacted: TransactedEngine, unique: readonly string[], source: BulkSource): Promise<BulkCreation> {
    const { documents, owner, onlyIfEmpty, locks } = source;
    if (!Array.isArray(documents)) this.mayBeRepeated = false;
    const make = async (step: readonly Write[]): Promise<readonly OutcomeOf<Write>[]> => {
      const outcomes: OutcomeOf<Write>[] = [];
      for (const write of step) {
        // However many there are, they come to an end.
        this.#deadline = performance.now() + longest * this.#limit;
        outcomes.push(await this.#make(() => transacted.write(write)));
      }
      return outcomes;
    };
    if (locks.length > 0) await this.#make(() => transacted.lock(locks));
    if (onlyIfEmpty && (await this.#make(() => transacted.count({}, owner, { most: 1 }))) > 0) {
      throw new StoreNotEmpty("The collection has records");
    }
    const reader = new BulkReader(
      source,
      1,
      (reason) => new Error(`${this} was ended, and nothing is stored: ${reason}`),
    );
    const next = (): Promise<readonly Write[]> => {
      this.#begin();
      return reader.next().finally(() => this.#rest());
    };
    const result = await makeAll(unique, next, make).finally(() => reader.stop());
    const { isUndone, keyed } = source.end();
    const isKept = result.kind === "created" && !isUndone;
    if (!isKept) this.#refusal = new Error(`${this} stores nothing, since a list in it was refused`);
    else if (keyed !== undefined) await this.#make(() => transacted.keep(keyed));
    return result;
  }
}

/** How many times as long as its work may wait a transaction may take. */
const longest = 10;
