import type { Database, PostgresDatabaseOptions } from "../../database.ts";
import type { DatabaseKind } from "../database-kind.ts";
import { parsePostgresAddress } from "./connections/address.ts";

/** PostgreSQL, and the databases that speak its protocol. */
export const postgres: DatabaseKind = {
  name: "PostgreSQL",
  addresses: "a URL postgres://...",
  takes: (address) => /^postgres(?:ql)?:\/\//i.test(address),
  display: (address) => parsePostgresAddress(address).display,
  fileOf: () => undefined,
  isMissing: () => false,
  open: openPostgresDatabase,
  openSnapshot: async (address) => (await load()).snapshotPostgresDatabase(address),
};

/**
 * Opens a PostgreSQL database, in which it makes the tables that are missing; several programs may share one. What the
 * address leaves out is taken from the variables PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.
 *
 * One that is read-only, as a standby is, is opened where its tables are those of this program. It is read as every other one,
 * and changes fail with StoreReadOnly until the server takes them: when the standby is promoted.
 *
 * ```ts
 * const database = await openPostgresDatabase("postgres://people@db.example.org/people", {
 *   collections: [{ name: "person", members: { identifier: { unique: true } } }],
 * });
 * ```
 *
 * @throws StoreOpenError (rejects) when it cannot be opened; the message names it without the password, and says what to do
 * @throws TypeError (rejects) when a name in a definition is malformed; RangeError when there are too few connections
 */
export async function openPostgresDatabase(address: string, options: PostgresDatabaseOptions): Promise<Database> {
  return (await load()).openPostgresDatabase(address, options);
}

/** The driver and all that stands on it are loaded by the programs that use them: they take as long to load as the rest. */
const load = (): Promise<typeof import("./database.ts")> => import("./database.ts");
