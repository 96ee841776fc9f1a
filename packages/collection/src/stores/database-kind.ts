import type { Database, DatabaseOptions } from "../database.ts";
import type { Snapshot, SnapshotOptions } from "./contract/snapshot.ts";

/** A kind of database: how its addresses look, and what can be done with a database at one of them. */
export interface DatabaseKind {
  /** For messages: `SQLite`. */
  readonly name: string;
  /** What its addresses look like, for messages: `the path of a file`. */
  readonly addresses: string;
  /** Returns whether an address is of this kind. */
  takes(address: string): boolean;
  /** Returns an address without user and password, for messages. */
  display(address: string): string;
  /** Returns the path of the file that has the database; undefined where it is not a file. */
  fileOf(address: string): string | undefined;
  /** Returns whether there is no database to read, as far as that can be seen without opening it. */
  isMissing(address: string): boolean;
  /** Opens a database as `openDatabase` of the package does. */
  open(address: string, options: DatabaseOptions): Promise<Database>;
  /** Opens a snapshot as `openSnapshot` of the package does. */
  openSnapshot(address: string, options?: SnapshotOptions): Promise<Snapshot>;
}
