import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { historyLost, StoreUnavailable } from "../../contract/errors.ts";
import type { Counters } from "../../writing/decide.ts";
import { prepareChange, prepareRows } from "../connections/statements.ts";

/**
 * The counters of the collections within a transaction: they are read once, advanced in memory, and stored once, however many
 * changes the transaction makes. Detects that the file has gone back to an older state, or was replaced, since the last commit.
 */
export class SqliteCounters {
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  /** The files that must keep their names; none for a database in memory. */
  readonly #files: readonly NamedFile[];
  /** The counters as this connection last committed or read them. */
  #seen: ReadonlyMap<string, CollectionCounters> = new Map();
  /** The counters in the current transaction; undefined when the file has others. */
  #present: Map<string, CollectionCounters> | undefined;
  /** The collections whose counters the file does not have yet. */
  readonly #advanced = new Set<string>();

  /** @param path the path of the file; undefined for a database in memory */
  constructor(database: DatabaseSync, path?: string) {
    this.#read = prepareRows(database, "SELECT name, revision, last_id, declared FROM waymark_collections");
    this.#write = prepareChange(database, "UPDATE waymark_collections SET revision = ?, last_id = ? WHERE name = ?");
    // The statements above have opened the log.
    this.#files = path === undefined ? [] : [namedFile(path, goneOrReplaced), namedFile(`${path}-wal`, logRemoved)];
  }

  /**
   * Reads the counters, and checks that no committed change is lost. Must be called when a transaction that may write has begun.
   *
   * @throws StoreHistoryLost when changes that were committed are gone
   * @throws StoreUnavailable when the file or its log is gone, or another one has its name
   */
  begin(): void {
    for (const file of this.#files) assertSameFile(file);
    this.reread();
    const present = this.#all();
    for (const [collection, { lastRevision, lastId }] of this.#seen) {
      const now = present.get(collection);
      if (now === undefined || now.lastRevision < lastRevision || now.lastId < lastId) {
        throw historyLost(collection);
      }
    }
    this.#seen = new Map(present);
  }

  /**
   * Returns the counters of a collection.
   *
   * @param declared what the caller fills records by
   * @throws StoreUnavailable when another program has declared something else
   */
  of(collection: string, declared: string): Counters {
    const counters = this.#all().get(collection);
    if (counters?.declared === declared) return counters;
    throw new StoreUnavailable(
      `Another version of this program has changed the columns of ${collection}: start this one again`,
    );
  }

  /** Counts a change. The file has the counters after `store`. */
  advance(collection: string, counters: Counters): void {
    const all = this.#all();
    const { declared } = all.get(collection) as CollectionCounters; // the caller got its counters by `of`
    all.set(collection, { ...counters, declared });
    this.#advanced.add(collection);
  }

  /** Stores the counters. Must be called before a statement that counts by itself, and before the commit. */
  store(): void {
    const all = this.#all();
    for (const collection of this.#advanced) {
      const { lastRevision, lastId } = all.get(collection) as CollectionCounters; // it was advanced
      this.#write.run(lastRevision, lastId, collection);
    }
    this.#advanced.clear();
  }

  /** Must be called when the file may have other counters than this object: they are then read again. */
  reread(): void {
    this.#present = undefined;
    this.#advanced.clear();
  }

  /** Takes the counters of the transaction as committed. */
  keep(): void {
    this.#seen = this.#all();
  }

  #all(): Map<string, CollectionCounters> {
    // The statement returns arrays of these columns, whose types the table enforces.
    this.#present ??= new Map(
      (this.#read.all() as unknown as readonly (readonly [string, number, number, string])[]).map(
        ([name, lastRevision, lastId, declared]) => [name, { lastRevision, lastId, declared }],
      ),
    );
    return this.#present;
  }
}

interface CollectionCounters extends Counters {
  /** What the records of the collection are filled by. */
  readonly declared: string;
}

interface NamedFile {
  readonly path: string;
  /** Names the file that has the path; undefined where there is no file. */
  readonly identity: string | undefined;
  /** Says what is wrong when it has another identity. */
  readonly fault: (now: string | undefined) => string;
}

const namedFile = (path: string, fault: NamedFile["fault"]): NamedFile => ({ path, identity: identityOf(path), fault });

function identityOf(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status && `${status.dev} ${status.ino}`;
}

/** Checks that a file still has its name: what is written to a file without a name is gone when the program ends. */
function assertSameFile({ path, identity, fault }: NamedFile): void {
  const now = identityOf(path);
  if (identity !== undefined && now !== identity) throw new StoreUnavailable(fault(now));
}

const goneOrReplaced: NamedFile["fault"] = (now) =>
  now === undefined
    ? "The file of the database is gone"
    : "Another file has taken the place of the database: start the program again";

const logRemoved: NamedFile["fault"] = () =>
  "The log of the database, the -wal file beside it, was removed: start the program again";
