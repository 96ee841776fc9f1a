import type { Database, DatabaseOptions, PostgresDatabaseOptions } from "./database.ts";
import type { Snapshot } from "./snapshot.ts";
import { isPostgresAddress, parsePostgresAddress } from "./stores/postgres/address.ts";
import { openSqliteDatabase } from "./stores/sqlite/database.ts";
import { openSqliteSnapshot, type SqliteSnapshotOptions } from "./stores/sqlite/snapshot.ts";

/**
 * Opens the database at an address: the path of an SQLite file, which is created if it is missing; `:memory:`; or a
 * PostgreSQL URL, `postgres://…`.
 *
 * ```ts
 * const database = await openDatabase("data/person.db", { collections: [{ name: "person" }] });
 * const people = database.store("person");
 * ```
 *
 * @throws StoreOpenError (rejects) when it cannot be opened, or is not one of ours; the message says what to do
 * @throws TypeError (rejects) when a name in the definitions is malformed
 */
export async function openDatabase(address: string, options: DatabaseOptions): Promise<Database> {
  if (isPostgresAddress(address)) return openPostgresDatabase(address, options);
  return openSqliteDatabase(address, options);
}

/**
 * Opens a PostgreSQL database, in which it makes the tables that are missing; several programs may share one. What the
 * address leaves out is taken from the variables PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.
 *
 * One that is read-only, as a standby is, is opened where its tables are those of this program. It is read as every other one,
 * and changes fail with StoreReadOnly until the server takes them: when the standby is promoted.
 *
 * ```ts
 * const database = await openPostgresDatabase("postgres://people@db.example.org/people", {
 *   collections: [{ name: "person", unique: ["identifier"] }],
 * });
 * ```
 *
 * @throws StoreOpenError (rejects) when it cannot be opened; the message names it without the password, and says what to do
 * @throws TypeError (rejects) when a name in a definition is malformed; RangeError when there are too few connections
 */
export async function openPostgresDatabase(address: string, options: PostgresDatabaseOptions): Promise<Database> {
  return (await postgres()).openPostgresDatabase(address, options);
}

/**
 * Reads a snapshot of the database at an address, without creating or changing anything.
 *
 * @throws StoreOpenError (rejects) when the database is missing, or not one of ours; the message says what to do
 */
export async function openSnapshot(address: string, options?: SqliteSnapshotOptions): Promise<Snapshot> {
  return isPostgresAddress(address)
    ? (await postgres()).snapshotPostgresDatabase(address)
    : openSqliteSnapshot(address, options);
}

/** Returns the address without user and password, for messages. */
export function displayAddress(address: string): string {
  return isPostgresAddress(address) ? parsePostgresAddress(address).display : address;
}

/** The driver and all that stands on it are loaded by the programs that use them: they take as long to load as the rest. */
const postgres = (): Promise<typeof import("./stores/postgres/database.ts")> => import("./stores/postgres/database.ts");
