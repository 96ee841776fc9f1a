import { databaseClosed, StoreUnavailable } from "../../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../../contract/observer.ts";
import type { Engine } from "../../engine.ts";
import type { OutcomeOf, Write } from "../../writing/write.ts";
import { ConnectionLost, mayPass, sqlState, sqlStateOf, toStoreFault } from "../connections/fault.ts";
import { attempt, type PostgresPool } from "../connections/pool.ts";
import type { PostgresChanges } from "./changes.ts";
import { transact } from "./transaction.ts";

/**
 * Makes the changes of one collection. One transaction makes all changes that arrive together, or while another transaction runs;
 * each is answered after the commit.
 */
export interface PostgresWriter {
  /**
   * Makes a change. Once the promise resolves, the change survives a crash.
   *
   * @throws StoreUnavailable (rejects) when nothing was changed; StoreOutcomeUnknown when it is unknown whether the change was made
   */
  readonly write: Engine["write"];
  /** The number of changes that wait for a transaction. */
  readonly waiting: number;
  /** Accepts no more changes, and makes the waiting ones. */
  close(): Promise<void>;
}

export function postgresWriter(
  pool: PostgresPool,
  changes: PostgresChanges,
  onCommit: DatabaseObserver["onCommit"],
): PostgresWriter {
  const waiting: WaitingWrite[] = [];
  let waitingSize = 0;
  /** Whether a transaction is running, or will begin in this turn of the event loop. */
  let isBusy = false;
  /** Resolves when the last change is made; undefined until `close` waits for that. */
  let idle: PromiseWithResolvers<void> | undefined;
  let isClosed = false;

  /**
   * Begins a transaction after the requests that have already arrived are processed. Only one runs at a time: all wait for the
   * counters, so that a second one would make fewer changes in no less time.
   */
  const schedule = (): void => {
    if (isBusy) return;
    isBusy = true;
    setImmediate(run);
  };

  const run = async (): Promise<void> => {
    const fault = await make(take());
    // The transactions of the waiting changes would fail in the same way.
    if (fault !== undefined) {
      for (let others = take(); others.length > 0; others = take()) rejectAll(others, fault);
    }
    isBusy = false;
    if (waiting.length > 0) schedule();
    else idle?.resolve();
  };

  /** Takes as many of the waiting changes as one transaction can make. */
  const take = (): readonly WaitingWrite[] => {
    let count = 0;
    let size = 0;
    for (const { write } of waiting) {
      const more = sizeOf(write);
      if (count > 0 && (count === batchLimit.writes || size + more > batchLimit.size)) break;
      count++;
      size += more;
    }
    waitingSize -= size;
    return waiting.splice(0, count);
  };

  /**
   * Makes the changes in one transaction or, where it fails for one of them, each in its own. Returns the reason why no change can
   * be made now.
   */
  const make = async (taken: readonly WaitingWrite[]): Promise<StoreUnavailable | undefined> => {
    try {
      const outcomes = await repeat(taken);
      for (const [position, outcome] of outcomes.entries()) taken[position]?.resolve(outcome);
      return undefined;
    } catch (error) {
      if (error instanceof StoreUnavailable || taken.length === 1) {
        rejectAll(taken, error);
        return error instanceof StoreUnavailable ? error : undefined;
      }
    }
    for (const [position, each] of taken.entries()) {
      const fault = await make([each]);
      if (fault === undefined) continue;
      rejectAll(taken.slice(position + 1), fault);
      return fault;
    }
    return undefined;
  };

  /** Returns the outcomes of the writes, committed. Tries the transaction up to five times where that may help. */
  const repeat = async (taken: readonly WaitingWrite[]): Promise<readonly OutcomeOf<Write>[]> => {
    const writes = taken.map(({ write }) => write);
    const isRemoving = writes.some(({ kind }) => kind === "remove");
    const make = (): Promise<readonly OutcomeOf<Write>[]> =>
      pool.use((connection) =>
        transact(connection, changes, async () => {
          const batch = await changes.read(connection, writes, changes.counters.lock(connection, isRemoving));
          return { result: writes.map((write) => batch.apply(write)), batch };
        }),
      );
    return reportedCommit(onCommit, writes.length, () =>
      attempt(5, make, mayBeRepeated).catch((error: unknown) => {
        throw toStoreFault(error);
      }),
    );
  };

  return {
    async write<W extends Write>(write: W): Promise<OutcomeOf<W>> {
      if (isClosed) throw databaseClosed();
      const size = sizeOf(write);
      if (waiting.length >= queueLimit.writes || waitingSize + size > queueLimit.size) {
        throw new StoreUnavailable("Too many changes wait for the database");
      }
      const { promise, resolve, reject } = Promise.withResolvers<OutcomeOf<Write>>();
      waiting.push({ write, resolve, reject });
      waitingSize += size;
      schedule();
      return promise as Promise<OutcomeOf<W>>; // the outcome of this very write
    },
    get waiting() {
      return waiting.length;
    },
    async close() {
      isClosed = true;
      if (!isBusy) return;
      idle ??= Promise.withResolvers();
      await idle.promise;
    },
  };
}

interface WaitingWrite {
  readonly write: Write;
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
