import type { DatabaseSync } from "node:sqlite";
import type { BulkConflict, BulkCreation } from "../../store.ts";
import type { CreateWrite } from "../write.ts";
import { begin, commit, orRollBack, rollBack } from "./sqlite-transaction.ts";
import type { SqliteWrites } from "./sqlite-writes.ts";

/** What became of many records of which all or none were to be stored. */
export type LoadOutcome =
  | BulkCreation
  /** There were records before, and were to be none. */
  | { readonly kind: "not-empty" };

export interface LoadConditions {
  readonly onlyIfEmpty: boolean;
  /** Of whom there are to be no records. */
  readonly owner: number | undefined;
}

/** A transaction that stores many records, which come a batch at a time; what fails in it undoes all of it. */
export class SqliteLoad {
  readonly #database: DatabaseSync;
  readonly #writes: SqliteWrites;
  readonly #isRefused: boolean;
  readonly #conflicts: BulkConflict[] = [];
  #isOwnerless = false;
  #position = 0;

  /** Begins the transaction, which waits as `begin` does. */
  constructor(
    database: DatabaseSync,
    busyTimeout: number,
    writes: SqliteWrites,
    { onlyIfEmpty, owner }: LoadConditions,
  ) {
    this.#database = database;
    this.#writes = writes;
    begin(database, busyTimeout);
    writes.begin();
    this.#isRefused = orRollBack(database, () => onlyIfEmpty && !writes.isEmpty(owner));
  }

  /** Takes the next records; whether more may change what becomes of them. */
  add(batch: readonly CreateWrite[]): boolean {
    orRollBack(this.#database, () => {
      for (const write of batch) {
        if (this.#isDecided) return;
        this.#position++;
        const creation = this.#writes.apply(write);
        if (creation.kind === "conflict") this.#conflicts.push({ position: this.#position, member: creation.member });
        if (creation.kind === "ownerless") this.#isOwnerless = true;
      }
      this.#writes.finish();
    });
    return !this.#isDecided;
  }

  /** Stores all of them, unless they are refused. */
  end(): LoadOutcome {
    if (this.#isRefused || this.#isOwnerless || this.#conflicts.length > 0) {
      rollBack(this.#database);
      if (this.#isOwnerless) return { kind: "ownerless" };
      return this.#isRefused ? { kind: "not-empty" } : { kind: "refused", conflicts: this.#conflicts };
    }
    commit(this.#database);
    return { kind: "created", count: this.#position };
  }

  abandon(): void {
    rollBack(this.#database);
  }

  get #isDecided(): boolean {
    return this.#isRefused || this.#isOwnerless || this.#conflicts.length >= mostConflicts;
  }
}

/** More of them help nobody, and would be kept in memory. */
const mostConflicts = 1000;
