// Programs that compile this source by import find the types of pgpass only so.
/// <reference path="./pgpass.d.ts" />
import pgpass from "pgpass";
import { wording } from "waymark/internal";
import { StoreOpenError } from "../../contract/errors.ts";

/** The parts of the address of a PostgreSQL database. */
export interface PostgresAddress {
  /** The servers of the database, in the order in which they are tried. */
  readonly servers: readonly PostgresServer[];
  readonly role: PostgresRole;
  /** Hosts and database without a password, for messages: `postgres://db.example.org/people`. */
  readonly display: string;
}

/** One server, as the driver connects to it. */
export interface PostgresServer {
  /** The host and the port as the address has them, for messages. */
  readonly place: string;
  readonly connectionString: string;
  /** Settings of the session, such as `-c search_path=people`; undefined for the defaults of the user. */
  readonly options: string | undefined;
}

/** The role that the server must have: a value of `target_session_attrs`, as in PostgreSQL's own programs. */
export type PostgresRole = (typeof roles)[number];

const roles = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;

/**
 * Reads `postgres://user:password@host:port/database?sslmode=verify-full`. The address may name several hosts with their ports,
 * `a:5432,b:5432`, and the role of the wanted server by `target_session_attrs`. Parts that the address leaves out come from the
 * variables PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.
 *
 * @throws StoreOpenError when it is not such a URL, or has a parameter that is not known; the message contains nothing of the
 *   address, because a password may be anywhere in it
 */
export function parsePostgresAddress(address: string): PostgresAddress {
  const [, scheme, user = "", hosts = "", rest] =
    /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^/?#]*)(.*)$/is.exec(address) ?? [];
  const addresses = hosts.split(",").map((place) => ({ place, address: `${scheme}${user}${place}${rest}` }));
  const [first] = addresses;
  if (scheme === undefined || !first || !addresses.every((each) => URL.canParse(each.address))) throw malformed();
  const { pathname, searchParams } = new URL(first.address);
  const unknown = [...searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) throw unknownParameter(unknown);
  const role = searchParams.get("target_session_attrs") ?? "any";
  if (!isRole(role))
    throw new StoreOpenError(`Cannot open the database: target_session_attrs must be ${wording.eitherOf(roles)}`);
  const options = searchParams.get("options") ?? undefined;
  return {
    servers: addresses.map((each) => {
      return { place: each.place, connectionString: forDriver(each.address), options };
    }),
    role,
    display: `postgres://${hosts}${pathname}`,
  };
}

const malformed = (): StoreOpenError =>
  new StoreOpenError(
    "Cannot open the database: the address is not one of PostgreSQL, such as postgres://user:password@host:5432/database, with %XX for signs of a URL in the password",
  );

/** Without this, a misspelt `sslmode` would connect without TLS. */
function unknownParameter(name: string): StoreOpenError {
  const nearest = wording.orNearest(wording.nearestName(name, parameters)) || ".";
  return new StoreOpenError(
    `Cannot open the database: the address has a parameter that is not known${nearest} Known: ${parameters.join(", ")}`,
  );
}

/** What the driver and this program read of those that PostgreSQL's own programs have. */
const parameters: readonly string[] = [
  ...["sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation", "ssl", "uselibpqcompat", "target_session_attrs"],
  ...["options", "application_name", "host", "port", "user", "password"],
];

const isRole = (text: string): text is PostgresRole => roles.some((role) => role === text);

/** Returns the address without the parameters that the driver does not read, or receives in another way, and as it understands it. */
function forDriver(address: string): string {
  const url = new URL(address);
  for (const name of ["target_session_attrs", "options"]) {
    if (url.searchParams.has(name)) url.searchParams.delete(name);
  }
  const isStrict = url.searchParams.get("uselibpqcompat") !== "true";
  if (isStrict && takenForFull.includes(url.searchParams.get("sslmode") ?? "")) {
    url.searchParams.set("sslmode", "verify-full");
  }
  return url.href;
}

/** What the driver takes for `verify-full`, and says so in a warning of seven lines. */
const takenForFull: readonly string[] = ["prefer", "require", "verify-ca"];

/**
 * Returns the password that the file of PGPASSFILE, or `~/.pgpass`, has for a connection; undefined where it has none. pg calls it
 * when the server wants a password, and neither the address nor PGPASSWORD has one.
 */
export const passwordFromFile = (connection: object): Promise<string | undefined> =>
  new Promise((resolve) => pgpass(connection, resolve));
