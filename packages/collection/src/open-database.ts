import { wording } from "waymark/internal";
import type { Database, DatabaseOptions } from "./database.ts";
import type { Snapshot, SnapshotOptions } from "./stores/contract/snapshot.ts";
import type { DatabaseKind } from "./stores/database-kind.ts";
import { postgres } from "./stores/postgres/kind.ts";
import { sqlite } from "./stores/sqlite/kind.ts";

/** The kinds of databases, in the order in which they are asked whether an address is theirs. */
const databaseKinds: readonly DatabaseKind[] = [postgres, sqlite];

/** What the addresses of databases look like, for messages: `the path of a file or a URL postgres://...`. */
export const databaseAddresses: string = databaseKinds
  .map(({ addresses }) => addresses)
  .reverse()
  .join(" or ");

/** Returns the kind of the database at an address. */
export const kindOf = (address: string): DatabaseKind =>
  databaseKinds.find((kind) => kind.takes(address)) as DatabaseKind; // the last one takes every address

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
 * @throws TypeError (rejects) when the address is a URL of another kind, or a name in the definitions is malformed
 */
export async function openDatabase(address: string, options: DatabaseOptions): Promise<Database> {
  return kindToOpen(address).open(address, { ...options }); // JavaScript callers leave them out
}

/**
 * Reads a snapshot of the database at an address, without creating or changing anything.
 *
 * @throws StoreOpenError (rejects) when the database is missing, or not one of ours; the message says what to do
 */
export async function openSnapshot(address: string, options?: SnapshotOptions): Promise<Snapshot> {
  return kindToOpen(address).openSnapshot(address, options);
}

function kindToOpen(address: unknown): DatabaseKind {
  const found = typeof address === "string" ? unknownScheme(address) : wording.typeName(address);
  if (found !== undefined) throw new TypeError(`The address of a database is ${databaseAddresses}, not ${found}`);
  return kindOf(address as string); // since something else was found otherwise
}

/**
 * Returns the beginning of an address that is a URL of another kind, such as `sqlite:` or `mysql://`; else undefined. It would be
 * taken for the path of a file. A letter and a colon begin a path on Windows.
 */
export function unknownScheme(address: string): string | undefined {
  const [scheme] = /^[a-z](?:[a-z0-9+.-]*:\/\/|[a-z0-9]+:)/i.exec(address) ?? [];
  return scheme === undefined || kindOf(address).fileOf(address) === undefined ? undefined : `${scheme}...`;
}

/** Returns the address without user and password, for messages. */
export const displayAddress = (address: string): string => kindOf(address).display(address);
