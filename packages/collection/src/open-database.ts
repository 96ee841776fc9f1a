import type { Database, DatabaseOptions } from "./database.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

/**
 * Opens the database at an address: the path of an SQLite file, made if it is missing; or `:memory:`.
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
  return openSqliteDatabase(address, options);
}
