import type { DatabaseSync } from "node:sqlite";
import type { BulkCreation } from "../../contract/store.ts";
import { type BulkConditions, type BulkEnd, BulkTally } from "../../writing/bulk-source.ts";
import type { Write } from "../../writing/write.ts";
import { begin, commit, orRollBack, rollBack } from "../connections/transaction.ts";
import type { SqliteChanges } from "./changes.ts";
import type { SqliteCounters } from "./counters.ts";

/** The outcome of storing many records, all or none. */
export type BulkOutcome =
  | BulkCreation
  /** The load was for an empty collection or owner, and there were records before. */
  | { readonly kind: "not-empty" };

/** A transaction that stores many records, which arrive in batches. An error undoes all of it. */
export interface SqliteBulkCreation {
  /** Stores the next records; returns whether more may change the outcome. */
  add(batch: readonly Write[]): boolean;
  /** Commits all of the records, or rolls back when they are refused or to be undone, and returns the outcome. */
  end(end: BulkEnd): BulkOutcome;
  abandon(): void;
}

/** Begins the transaction, which waits as `begin` does. */
export function bulkCreation(
  database: DatabaseSync,
  busyTimeout: number,
  counters: SqliteCounters,
  writes: SqliteChanges,
  { onlyIfEmpty, owner }: BulkConditions,
): SqliteBulkCreation {
  const tally = new BulkTally(writes.definition.unique);
  begin(database, busyTimeout);
  writes.begin();
  const isRefused = orRollBack(database, () => {
    counters.begin();
    return onlyIfEmpty && !writes.isEmpty(owner);
  });
  const isDecided = (): boolean => isRefused || tally.isDecided;

  return {
    add(batch) {
      orRollBack(database, () => {
        for (const write of batch) {
          if (isDecided()) return;
          tally.add(write, writes.apply(write));
        }
        writes.finish(batch.some(({ kind }) => kind === "remove"));
      });
      return !isDecided();
    },
    end({ isUndone, keyed }) {
      const atEnd = isDecided() ? undefined : tally.atEnd();
      orRollBack(database, () => {
        for (let step = atEnd?.next(); step?.done === false; ) step = atEnd?.next(step.value.map(writes.apply));
      });
      const outcome = isRefused ? ({ kind: "not-empty" } as const) : tally.outcome;
      if (outcome.kind === "created" && !isUndone) {
        orRollBack(database, () => {
          if (keyed !== undefined) writes.keep(keyed);
          writes.finish(false);
          counters.store();
        });
        commit(database);
        counters.keep();
      } else rollBack(database);
      return outcome;
    },
    abandon() {
      rollBack(database);
    },
  };
}
