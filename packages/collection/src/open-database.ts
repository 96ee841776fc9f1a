import type { Database, DatabaseOptions } from "./database.ts";
import type { Snapshot } from "./snapshot.ts";
import {
  isPostgresAddress,
  openPostgresDatabase,
  parsePostgresAddress,
  snapshotPostgresDatabase,
} from "./stores/postgres/database.ts";
import { openSqliteDatabase } from "./stores/sqlite/database.ts";
import { openSqliteSnapshot, type SqliteSnapshotOptions } from "./stores/sqlite/snapshot.ts";

/**
 * Opens the database at an address: the path of an SQLite file, made if it is missing; `:memory:`; or the
 * URL of a PostgreSQL database, `postgres://…`.
 *
 * ```ts
 * const database = await openDatabase("data/person.db", { collections: [{ name: "person" }] });
 * const people = database.store("person");
 * ```
 *
 * @throws StoreOpenError (rejects) when it cannot be opened, or is not one of ours; the message says what to do
 * @throws TypeError (rejects) when the definitions have a name that is none
 */
export async function openDatabase(address: string, options: DatabaseOptions): Promise<Database> {
  if (isPostgresAddress(address)) return openPostgresDatabase(address, options);
  return openSqliteDatabase(address, options);
}

/**
 * A snapshot of the database at an address, which is not opened otherwise: it is neither made nor changed.
 *
 * @throws StoreOpenError (rejects) when there is none, or it is not one of ours; the message says what to do
 */
export async function openSnapshot(address: string, options?: SqliteSnapshotOptions): Promise<Snapshot> {
  return isPostgresAddress(address) ? snapshotPostgresDatabase(address) : openSqliteSnapshot(address, options);
}

/** The address as it may be shown: without the user and password that one of PostgreSQL may have. */
export function displayAddress(address: string): string {
  return isPostgresAddress(address) ? parsePostgresAddress(address).display : address;
}
