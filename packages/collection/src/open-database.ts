import type { Database, DatabaseOptions } from "./database.ts";
import { isPostgresAddress, parsePostgresAddress } from "./postgres-address.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

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

/** The address as it may be shown: without the user and password that one of PostgreSQL may have. */
export function displayAddress(address: string): string {
  return isPostgresAddress(address) ? parsePostgresAddress(address).display : address;
}
