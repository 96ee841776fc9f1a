import { StoreOpenError } from "../../store.ts";

/** Where a database is, and what it may be called in a message. */
export interface PostgresAddress {
  /** What the driver connects by. */
  readonly config: { readonly connectionString: string };
  /** Host and database without a password: `postgres://db.example.org/people`. */
  readonly display: string;
}

/** Whether an address names a PostgreSQL database. */
export const isPostgresAddress = (address: string): boolean => /^postgres(?:ql)?:\/\//i.test(address);

/**
 * Reads `postgres://user:password@host:port/database?sslmode=verify-full`. What it leaves out is taken from the variables
 * PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.
 *
 * @throws StoreOpenError when it is no such URL; the message does not have it, since a password may be anywhere in it
 */
export function parsePostgresAddress(address: string): PostgresAddress {
  if (!isPostgresAddress(address) || !URL.canParse(address)) {
    throw new StoreOpenError(
      "Cannot open the database: the address is not one of PostgreSQL, such as postgres://user:password@host:5432/database, with %XX for signs of a URL in the password",
    );
  }
  const { host, pathname } = new URL(address);
  return { config: { connectionString: address }, display: `postgres://${host}${pathname}` };
}
