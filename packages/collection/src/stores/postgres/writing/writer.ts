import { databaseClosed, StoreUnavailable } from "../../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../../contract/observer.ts";
import type { Engine } from "../../engine.ts";
import { type CreateWrite, dependsOnNothing, type OutcomeOf, type Write } from "../../writing/write.ts";
import { ConnectionLost, mayPass, sqlState, sqlStateOf, toStoreFault } from "../connections/fault.ts";
import { attempt, type PostgresPool } from "../connections/pool.ts";
import { withRevision } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";
import { create, mayBeRepeated, transact } from "./transaction.ts";

/**
 * Makes the changes of one collection, on several connections at once. A transaction makes the changes that wait when it begins; each is
 * answered after the commit, and stands for itself: where a transaction fails, each of its changes is made by itself.
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
  /** The changes that wait: new records that depend on nothing, and all others, of which one transaction makes some. */
  const waiting: { readonly new: WaitingWrite[]; readonly others: WaitingWrite[] } = { new: [], others: [] };
  const count = (): number => waiting.new.length + waiting.others.length;
  let waitingSize = 0;
  /** Whose turn it is where both wait. */
  let isTurnOfNew = true;
  /** How many transactions run. */
  let running = 0;
  /** Whether one will begin in this turn of the event loop. */
  let isScheduled = false;
  /** Resolves when the last change is made; undefined until `close` waits for that. */
  let idle: PromiseWithResolvers<void> | undefined;
  let isClosed = false;

  /** Begins a transaction after the requests that have already arrived are processed. */
  const schedule = (): void => {
    if (isScheduled || running >= pool.size || count() === 0) return;
    isScheduled = true;
    setImmediate(run);
  };

  const run = async (): Promise<void> => {
    isScheduled = false;
    running++;
    const areNew = waiting.others.length === 0 || (waiting.new.length > 0 && isTurnOfNew);
    isTurnOfNew = !areNew;
    const due = areNew ? waiting.new : waiting.others;
    const taken = take(due);
    // What arrived at once, new records and changes of these, is made in that order.
    if (due.length > 0) schedule();
    await (areNew ? makeNew(taken) : make(taken));
    running--;
    schedule();
    if (running === 0 && count() === 0) idle?.resolve();
  };

  /**
   * Takes as many of the waiting changes as one transaction can make, and leaves as many to each other one that can begin. A removal of
   * an owner may take long, and is made alone.
   */
  const take = (waiting: WaitingWrite[]): readonly WaitingWrite[] => {
    const share = Math.max(batchLimit.least, Math.ceil(waiting.length / (pool.size - running + 1)));
    let count = 0;
    let size = 0;
    for (const { write } of waiting) {
      const isAlone = isLong(write);
      const more = sizeOf(write);
      if (count > 0 && (isAlone || count === Math.min(share, batchLimit.writes) || size + more > batchLimit.size))
        break;
      count++;
      size += more;
      if (isAlone) break;
    }
    waitingSize -= size;
    return waiting.splice(0, count);
  };

  const isLong = (write: Write): boolean => write.kind === "remove" && changes.isOwner;

  /** Creates records. Those that are not stored are decided as other changes, which finds what they conflict with. */
  const makeNew = async (taken: readonly WaitingWrite[]): Promise<void> => {
    const records = taken.map(({ write }) => write as CreateWrite); // what waits here
    const createAll = () => pool.use((connection) => create(connection, changes, records));
    const created = await reportedCommit(onCommit, taken.length, () =>
      attempt(5, createAll, (error) => error instanceof ConnectionLost || mayPass(error)),
    ).catch(async (error: unknown) => {
      if (await isOfOne(error)) return [];
      for (const { reject } of taken) reject(toStoreFault(error));
      return undefined;
    });
    if (created === undefined) return;
    const left: WaitingWrite[] = [];
    for (const [position, each] of taken.entries()) {
      const record = created[position];
      if (record === undefined) left.push(each);
      else each.resolve({ kind: "created", record });
    }
    if (left.length > 0) await make(left);
  };

  /** Makes the changes in one transaction or, where it fails, each in its own. */
  const make = async (taken: readonly WaitingWrite[]): Promise<void> => {
    try {
      const outcomes = await repeat(taken);
      for (const [position, outcome] of outcomes.entries()) taken[position]?.resolve(outcome);
    } catch (error) {
      if (taken.length > 1 && (await isOfOne(error))) await Promise.all(taken.map((each) => make([each])));
      else for (const { reject } of taken) reject(toStoreFault(error));
    }
  };

  /** Returns whether an error may be that of one change. Where all have to wait, each would only wait as long by itself. */
  const isOfOne = async (error: unknown): Promise<boolean> => {
    if (!mayBeOfOne(error)) return false;
    const state = sqlStateOf(error);
    if (state !== sqlState.lockNotAvailable && state !== sqlState.queryCanceled) return true;
    return !(await pool.use((connection) => changes.isLocked(connection)).catch(() => true));
  };

  /** Returns the outcomes of the writes, committed. Tries the transaction up to five times where that may help. */
  const repeat = async (taken: readonly WaitingWrite[]): Promise<readonly OutcomeOf<Write>[]> => {
    const writes = taken.map(({ write }) => write);
    const make = (): Promise<readonly OutcomeOf<Write>[]> =>
      pool.use((connection) =>
        transact(
          connection,
          changes,
          async () => {
            // Records of an owner are removed with it, whose number nothing bounds.
            const prepared = writes.some(isLong)
              ? connection.query({ text: "SET LOCAL statement_timeout = '1h'" })
              : [];
            const [batch] = await Promise.all([changes.read(connection, writes), prepared]);
            const result = writes.map((write) => batch.apply(write));
            if (!batch.isUnchanged) return { result, batch };
            changes.spare(batch);
            return { result, batch: undefined };
          },
          (outcomes, revisions) => outcomes.map((outcome) => withRevision(outcome, revisions)),
        ),
      );
    return reportedCommit(onCommit, writes.length, () => attempt(5, make, mayBeRepeated));
  };

  return {
    async write<W extends Write>(write: W): Promise<OutcomeOf<W>> {
      if (isClosed) throw databaseClosed();
      const size = sizeOf(write);
      if (count() >= queueLimit.writes || waitingSize + size > queueLimit.size) {
        throw new StoreUnavailable("Too many changes wait for the database");
      }
      const { promise, resolve, reject } = Promise.withResolvers<OutcomeOf<Write>>();
      (dependsOnNothing(write) ? waiting.new : waiting.others).push({ write, resolve, reject });
      waitingSize += size;
      schedule();
      return promise as Promise<OutcomeOf<W>>; // the outcome of this very write
    },
    get waiting() {
      return count();
    },
    async close() {
      isClosed = true;
      if (running === 0 && count() === 0) return;
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
const batchLimit = { least: 16, writes: 500, size: 2 ** 20 };
const queueLimit = { writes: 10_000, size: 2 ** 26 };

const sizeOf = (write: Write): number => (write.kind === "remove" ? 0 : write.members.length);

/** Returns whether an error may be that of one change, so that the others of its transaction can be made without it. */
function mayBeOfOne(error: unknown): boolean {
  const state = sqlStateOf(error);
  return !(error instanceof StoreUnavailable) && state !== undefined && !/^(?:08|25006|53|57P|58)/.test(state);
}
