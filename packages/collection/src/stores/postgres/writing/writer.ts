import { databaseClosed, StoreUnavailable } from "../../contract/errors.ts";
import type { DatabaseObserver } from "../../contract/observer.ts";
import type { OutcomeOf, Write } from "../../writing/write.ts";
import { ConnectionLost, mayPass, sqlState, sqlStateOf, toStoreFault } from "../connections/fault.ts";
import { attempt, type PostgresPool } from "../connections/pool.ts";
import { everyPartition, type WantedPartitions } from "../history/counters.ts";
import { partitionNamedBy } from "../table/partitions.ts";
import type { PostgresBatch } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";
import { transact } from "./transaction.ts";

/**
 * Makes the changes of one collection. One transaction makes all changes that arrive together, or while another transaction runs;
 * each is answered after the commit. A change whose partition another program holds at that moment is left to the next transaction,
 * which waits for the partition of the first such change.
 */
export class PostgresWriter {
  readonly #pool: PostgresPool;
  readonly #changes: PostgresChanges;
  readonly #onCommit: DatabaseObserver["onCommit"];
  #waiting: WaitingWrite[] = [];
  #waitingSize = 0;
  /** Whether a transaction is running, or will begin in this turn of the event loop. */
  #isBusy = false;
  /** Resolves when the last change is made; undefined until `close` waits for that. */
  #idle: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(pool: PostgresPool, changes: PostgresChanges, onCommit: DatabaseObserver["onCommit"]) {
    this.#pool = pool;
    this.#changes = changes;
    this.#onCommit = onCommit;
  }

  /**
   * Makes a change. Once the promise resolves, the change survives a crash.
   *
   * @throws StoreUnavailable (rejects) when nothing was changed; StoreOutcomeUnknown when it is unknown whether the change was made
   */
  async write<W extends Write>(write: W): Promise<OutcomeOf<W>> {
    if (this.#isClosed) throw databaseClosed();
    const size = sizeOf(write);
    if (this.#waiting.length >= queueLimit.writes || this.#waitingSize + size > queueLimit.size) {
      throw new StoreUnavailable("Too many changes wait for the database");
    }
    const { promise, resolve, reject } = Promise.withResolvers<OutcomeOf<Write>>();
    this.#waiting.push({ write, resolve, reject, isLeft: false });
    this.#waitingSize += size;
    this.#schedule();
    return promise as Promise<OutcomeOf<W>>; // the outcome of this very write
  }

  /** The number of changes that wait for a transaction. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Accepts no more changes, and makes the waiting ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#isBusy) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  /**
   * Begins a transaction after the requests that have already arrived are processed. Only one runs at a time: all wait for the rows
   * of counters, so that a second one would make fewer changes in no less time.
   */
  #schedule(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    setImmediate(() => this.#run());
  }

  async #run(): Promise<void> {
    const fault = await this.#make(this.#take());
    // The transactions of the waiting changes would fail in the same way.
    if (fault !== undefined) {
      for (let waiting = this.#take(); waiting.length > 0; waiting = this.#take()) rejectAll(waiting, fault);
    }
    this.#isBusy = false;
    if (this.#waiting.length > 0) this.#schedule();
    else this.#idle?.resolve();
  }

  /** Takes as many of the waiting changes as one transaction can make. */
  #take(): readonly WaitingWrite[] {
    let count = 0;
    let size = 0;
    for (const { write } of this.#waiting) {
      const more = sizeOf(write);
      if (count > 0 && (count === batchLimit.writes || size + more > batchLimit.size)) break;
      count++;
      size += more;
    }
    this.#waitingSize -= size;
    return this.#waiting.splice(0, count);
  }

  /**
   * Makes the changes in one transaction or, where it fails for one of them, each in its own. Returns the reason why no change can
   * be made now.
   */
  async #make(taken: readonly WaitingWrite[]): Promise<StoreUnavailable | undefined> {
    try {
      const outcomes = await this.#repeat(taken);
      const left: WaitingWrite[] = [];
      for (const [position, each] of taken.entries()) {
        const outcome = outcomes[position];
        if (outcome === undefined) left.push({ ...each, isLeft: true });
        else each.resolve(outcome);
      }
      this.#waiting.unshift(...left);
      for (const { write } of left) this.#waitingSize += sizeOf(write);
      return undefined;
    } catch (error) {
      if (error instanceof StoreUnavailable || taken.length === 1) {
        rejectAll(taken, error);
        return error instanceof StoreUnavailable ? error : undefined;
      }
    }
    for (const [position, each] of taken.entries()) {
      const fault = await this.#make([each]);
      if (fault === undefined) continue;
      rejectAll(taken.slice(position + 1), fault);
      return fault;
    }
    return undefined;
  }

  /**
   * Returns the partitions that a transaction asks for. A removal waits at once, because it takes more locks, and must not wait for
   * a partition while it holds them.
   */
  #wanted(taken: readonly WaitingWrite[], isRemoving: boolean): WantedPartitions {
    if (this.#changes.counters.partitions === 1) return everyPartition;
    const named = this.#named(taken);
    if (named.length === 0) return isRemoving ? { awaited: "least" } : { free: "least" };
    const isWaiting = isRemoving || taken[0]?.isLeft === true;
    return isWaiting ? { awaited: named.slice(0, 1), free: named.slice(1) } : { free: named };
  }

  /** Returns the partitions that the writes name, each once, in the order of the writes. */
  #named(taken: readonly WaitingWrite[]): readonly number[] {
    const { partitions } = this.#changes.counters;
    return [...new Set(taken.flatMap(({ write }) => partitionNamedBy(write, partitions) ?? []))];
  }

  /**
   * Returns the outcomes of the writes, committed; undefined for a write that is left. Tries the transaction up to five times where
   * that may help.
   */
  async #repeat(taken: readonly WaitingWrite[]): Promise<readonly (OutcomeOf<Write> | undefined)[]> {
    const { counters } = this.#changes;
    const writes = taken.map(({ write }) => write);
    const isRemoving = writes.some(({ kind }) => kind === "remove");
    const make = (): Promise<readonly (OutcomeOf<Write> | undefined)[]> =>
      this.#pool.use((connection) =>
        transact(connection, this.#changes, async () => {
          const read = (wanted: WantedPartitions): Promise<PostgresBatch> =>
            this.#changes.read(connection, writes, counters.lock(connection, wanted, isRemoving));
          let batch = await read(this.#wanted(taken, isRemoving));
          if (batch.held.size === 0) {
            const named = this.#named(taken).slice(0, 1);
            batch = await read({ awaited: named.length === 0 ? "least" : named });
          }
          return { result: writes.map((write) => batch.apply(write)), batch };
        }),
      );
    const started = performance.now();
    const report = (error: unknown): void =>
      this.#onCommit?.({ changes: writes.length, milliseconds: performance.now() - started, error });
    try {
      const outcomes = await attempt(5, make, mayBeRepeated);
      report(undefined);
      return outcomes;
    } catch (error) {
      await counters.reportLoss(this.#pool);
      const fault = toStoreFault(error);
      report(fault);
      throw fault;
    }
  }
}

interface WaitingWrite {
  readonly write: Write;
  /** Whether an earlier transaction left the write out. */
  readonly isLeft: boolean;
  readonly resolve: (outcome: OutcomeOf<Write>) => void;
  readonly reject: (error: unknown) => void;
}

/** Sizes are in characters of JSON. */
const batchLimit = { writes: 500, size: 2 ** 20 };
const queueLimit = { writes: 10_000, size: 2 ** 26 };

const sizeOf = (write: Write): number => (write.kind === "remove" ? 0 : write.members.length);

/**
 * Returns whether a transaction can be repeated: nothing was committed. After a unique violation, the next attempt sees the value,
 * which a program without the lock stored meanwhile.
 */
function mayBeRepeated(error: unknown): boolean {
  return error instanceof ConnectionLost || mayPass(error) || sqlStateOf(error) === sqlState.uniqueViolation;
}

function rejectAll(writes: readonly WaitingWrite[], error: unknown): void {
  for (const { reject } of writes) reject(error);
}
