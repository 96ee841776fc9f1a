import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreHistoryLost, StoreUnavailable } from "../../store-errors.ts";

/** Detects that a database file has gone back to an older state, or was replaced, while a connection writes to it. */
export class SqliteHistory {
  readonly #counters: StatementSync;
  readonly #path: string | undefined;
  readonly #file: FileIdentity | undefined;
  /** The counters of each collection, as this connection last committed or read them. */
  #seen: CollectionCounters = new Map();
  #noted: CollectionCounters = new Map();

  /** @param path the path of the file; undefined for a database in memory */
  constructor(database: DatabaseSync, path: string | undefined) {
    this.#counters = database.prepare("SELECT name, revision, last_id FROM waymark_collections");
    this.#counters.setReturnArrays(true);
    this.#path = path;
    this.#file = path === undefined ? undefined : identityOf(path);
  }

  /**
   * Checks that no committed change is lost, in a few µs. Must be called when a transaction that may write has begun.
   *
   * @throws StoreHistoryLost when changes that were committed are gone
   * @throws StoreUnavailable when the file is gone, or another one has its name
   */
  assertKept(): void {
    if (this.#path !== undefined && this.#file !== undefined) assertSameFile(this.#path, this.#file);
    const present = this.#read();
    for (const [collection, { revision, lastId }] of this.#seen) {
      const now = present.get(collection);
      if (now === undefined || now.revision < revision || now.lastId < lastId) {
        throw new StoreHistoryLost(
          `The database has gone back to an older state of ${collection}: committed changes are gone`,
        );
      }
    }
    this.#seen = present;
  }

  /** Reads the counters that are about to be committed. */
  note(): void {
    this.#noted = this.#read();
  }

  /** Takes the counters that `note` has read as committed. */
  keep(): void {
    this.#seen = this.#noted;
  }

  #read(): CollectionCounters {
    // The statement returns arrays of these columns, whose types the table enforces.
    const rows = this.#counters.all() as unknown as readonly (readonly [string, number, number])[];
    return new Map(rows.map(([name, revision, lastId]) => [name, { revision, lastId }]));
  }
}

type CollectionCounters = ReadonlyMap<string, { readonly revision: number; readonly lastId: number }>;

interface FileIdentity {
  readonly device: number;
  readonly inode: number;
}

function identityOf(path: string): FileIdentity | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status && { device: status.dev, inode: status.ino };
}

/** Checks that the file still has its name: what is written to a file without a name is gone when the program ends. */
function assertSameFile(path: string, { device, inode }: FileIdentity): void {
  const now = identityOf(path);
  if (now?.device === device && now.inode === inode) return;
  throw new StoreUnavailable(
    now === undefined
      ? "The file of the database is gone"
      : "Another file has taken the place of the database: start the program again",
  );
}
