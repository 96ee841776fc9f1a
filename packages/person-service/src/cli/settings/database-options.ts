import { resolve } from "node:path";
import { databaseAddresses, displayAddress, kindOf, StoreOpenError, unknownScheme } from "@waymark/collection";
import { membersOption } from "./members-option.ts";
import { type Option, quotedArgument, type ValueType } from "./option.ts";

/** The type of the addresses of databases. */
export const databaseAddress: ValueType = { fault: faultInDatabaseAddress };

const orUrl =
  "or the URL of a PostgreSQL database, postgres://HOST/NAME; its password comes from PGPASSWORD, PGPASSFILE or --database-file";

/** The options of every command that works on the database of a service. */
export const databaseOptions: Readonly<Record<"database" | "database-file" | "members" | "config", Option>> = {
  database: {
    group: "Database",
    value: "FILE",
    type: databaseAddress,
    about: `the SQLite file, made if it is missing; ${orUrl}`,
    platformVariable: "DATABASE_URL",
    default: "./data/person.db",
  },
  "database-file": {
    group: "Database",
    value: "FILE",
    fileOf: "database",
    about: "a file with the value of --database, for a URL with a password",
  },
  members: membersOption,
  config: { value: "FILE", about: "a JSON file with settings" },
};

/** The same for a command that makes no database. */
export const existingDatabaseOptions: typeof databaseOptions = {
  ...databaseOptions,
  database: { ...databaseOptions.database, about: `the SQLite file, ${orUrl}` },
};

/** Returns what is wrong with a database that a command fills: it must be there behind the command. */
export const faultInKept = (command: string, database: string | undefined): string | undefined =>
  database === ":memory:" ? `${command} needs a database that is kept, not ":memory:".` : undefined;

/** Returns whether two addresses, or paths of files, are the same. */
export function isSameDatabase(...addresses: readonly [string | undefined, string | undefined]): boolean {
  const [one, other] = addresses.map((address = "") => {
    const file = kindOf(address).fileOf(address);
    return file === undefined ? address : resolve(file);
  });
  return one === other;
}

/** Returns what is wrong with the address of a database. */
function faultInDatabaseAddress(value: string): string | undefined {
  const scheme = unknownScheme(value);
  if (scheme !== undefined) return `must be ${databaseAddresses}, not ${quotedArgument(scheme)}`;
  if (/\p{Cc}/u.test(value)) return `must be ${databaseAddresses}, in one line`;
  try {
    displayAddress(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    return error.message.replace(/^Cannot open the database: /, "cannot be used: ");
  }
}
