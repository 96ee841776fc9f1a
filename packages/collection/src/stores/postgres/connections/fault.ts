import { StoreReadOnly, StoreReadTimeout, StoreUnavailable } from "../../contract/errors.ts";
import { saidOf } from "../../unusable-database.ts";

/** The error codes of PostgreSQL (SQLSTATE) that the store distinguishes. It recognizes other errors by their class. */
export const sqlState = {
  uniqueViolation: "23505",
  foreignKeyViolation: "23503",
  completionUnknown: "40003",
  lockNotAvailable: "55P03",
  queryCanceled: "57014",
  readOnly: "25006",
  notSupported: "0A000",
  diskFull: "53100",
  tooManyConnections: "53300",
  insufficientPrivilege: "42501",
  notAuthorized: "28000",
  noSuchDatabase: "3D000",
} as const;

/**
 * The error of a connection that broke, or was given up, before the answer came. The server may or may not have done what was sent.
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** Returns the error code that the server sent; undefined for every other value. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  // The codes of the system, such as ECONNRESET and EPIPE, come on errors that have no severity.
  return "severity" in error && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/**
 * Returns whether what failed may succeed when it is tried again. A transaction was undone (class 40): it conflicted with another one
 * or, on a standby, with changes from the primary. Or the statement had no plan yet (class 26): it was sent behind the one that
 * failed to make it.
 */
export const mayPass = (error: unknown): boolean => ["26", "40"].includes(classOf(error)) && !isOutcomeUnknown(error);

/** Returns whether a commit may or may not have been made: the connection broke, or the server says that it does not know. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ConnectionLost || sqlStateOf(error) === sqlState.completionUnknown;

/** Returns whether a commit that was answered with this error may have been made: an internal one says nothing of it. */
export const isCommitUncertain = (error: unknown): boolean =>
  isOutcomeUnknown(error) || ["08", "XX"].includes(classOf(error));

const classOf = (error: unknown): string => sqlStateOf(error)?.slice(0, 2) ?? "";

/**
 * Returns the error that a store throws for an error of the database: StoreUnavailable when trying later may help, otherwise the
 * error itself.
 */
export function toStoreFault(error: unknown): unknown {
  if (error instanceof ConnectionLost) return new StoreUnavailable(error.message, { cause: error });
  const state = sqlStateOf(error);
  if (state === undefined) return error;
  if (state === sqlState.readOnly) return readOnly(error);
  const reason = temporary.get(state) ?? temporary.get(state.slice(0, 2));
  return reason === undefined ? error : new StoreUnavailable(reason, { cause: error });
}

export const readOnly = (cause: unknown): StoreReadOnly => new StoreReadOnly("The database is read-only", { cause });

/** Throws what `toStoreFault` returns. */
export function throwStoreFault(error: unknown): never {
  throw toStoreFault(error);
}

/**
 * Returns the error as `toStoreFault` does, for work that takes longer the more records there are: a statement that the server
 * stopped because of its time becomes a StoreReadTimeout.
 */
export function toSelectionFault(error: unknown): unknown {
  if (sqlStateOf(error) !== sqlState.queryCanceled) return toStoreFault(error);
  return new StoreReadTimeout("It takes longer than the database may work on a statement", { cause: error });
}

/** The reasons, by error code or by the two characters of its class. */
const temporary: ReadonlyMap<string, string> = new Map([
  ["08", "The connection to the database broke"],
  ["25P03", "The database ended a transaction that took too long"],
  ["28", "The database no longer lets the program in"],
  [sqlState.noSuchDatabase, "The database is gone"],
  ["26", "The database could not plan a statement"],
  ["40", "The database undid what met something else that was done at the same time"],
  ["53", "The database has run out of room, memory or connections"],
  [sqlState.lockNotAvailable, "Another transaction holds what is to be changed"],
  ["57", "The database stopped the work: it took too long, or the server is going down"],
  ["58", "The system of the database reports an error"],
]);

/** The error of several servers of one database, none of which can be used. */
export class NoServer extends Error {
  /** The error of each, by its host and port. */
  readonly faults: ReadonlyMap<string, unknown>;

  constructor(faults: ReadonlyMap<string, unknown>) {
    super("No server of the database can be used", { cause: [...faults.values()][0] });
    this.faults = faults;
  }
}

/** Returns one line that says why a database cannot be opened; undefined for a fault of the program. It contains no password. */
export function reasonNotOpened(error: unknown): string | undefined {
  const said = saidOf(error);
  if (said !== undefined) return said;
  if (error instanceof NoServer) return reasonOf(error);
  const state = sqlStateOf(error);
  if (state !== undefined) {
    if (isNameless(error)) return "no user is named; put one into the address, or into PGUSER";
    return byState.get(state) ?? byState.get(state.slice(0, 2));
  }
  const { code, message, syscall } = firstOf(error);
  if (syscall === "open" || syscall === "read") {
    return "a file of sslrootcert, sslcert or sslkey cannot be read; name another one, or allow reading";
  }
  return bySystemCode.get(code) ?? byMessage.find(([part]) => message.includes(part))?.[1];
}

/** Whether no user is named: neither in the address nor, as in some containers, by the system. */
const isNameless = (error: unknown): boolean => firstOf(error).message.startsWith("no PostgreSQL user name");

/** Returns what is wrong with each server, or with all of them. */
function reasonOf({ faults }: NoServer): string | undefined {
  const reasons = Array.from(faults, ([place, fault]) => [place, reasonNotOpened(fault)] as const);
  if (reasons.some(([, reason]) => reason === undefined)) return undefined;
  const [first] = reasons;
  if (reasons.every(([, reason]) => reason === first?.[1])) return first?.[1];
  return reasons.map(([place, reason]) => `${place}: ${reason}`).join(". ");
}

/** Returns the code and message of an error. Where a host has several addresses, the error of the first represents all. */
function firstOf(error: unknown): Readonly<Record<"code" | "syscall" | "message", string>> {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return { code: "", syscall: "", message: "" };
  const code = "code" in first ? String(first.code) : "";
  const syscall = "syscall" in first ? String(first.syscall) : "";
  return { code, syscall, message: first.message };
}

const unreachable = "nothing answers there; start the server, or name another host or port";
const notEncrypted = "the server is not set up for TLS; leave sslmode out, or set the server up";
const untrusted = "the certificate of the server is not to be trusted; name its authority by sslrootcert";

const bySystemCode: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", unreachable],
  ["ENOENT", unreachable], // the socket of a server on this machine
  ["EHOSTUNREACH", unreachable],
  ["ENETUNREACH", unreachable],
  ["ETIMEDOUT", unreachable],
  ["ECONNRESET", "the server ends the connection at once; see what it says in its log"],
  ["ENOTFOUND", "there is no such host; name another one"],
  ["EAI_AGAIN", "the name of the host cannot be looked up just now; try again"],
  ["SELF_SIGNED_CERT_IN_CHAIN", untrusted],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate of the server is for another host; name the host as it does"],
]);

/** The reasons, by a part of the driver's message, for errors without a code. */
const byMessage: readonly (readonly [part: string, reason: string])[] = [
  ["timeout expired", unreachable],
  ["does not support SSL", notEncrypted],
  ["password must be a", "the server asks for a password; put one into the address, or into PGPASSWORD"],
  ["terminated unexpectedly", "the server ends the connection at once; see what it says in its log"],
];

const byState: ReadonlyMap<string, string> = new Map([
  ["28", "the server does not let this user in with this password; correct them"],
  [
    sqlState.notAuthorized,
    "the server does not let this user in from here, or only with TLS; add sslmode=verify-full, or allow it in its pg_hba.conf",
  ],
  [sqlState.noSuchDatabase, "there is no such database; create it, or name another one"],
  [
    "0A",
    "it does not take a statement that PostgreSQL 15 takes, as engines that spread its tables do; name another database",
  ],
  ["3F", "no schema of its search path exists; create one, or name another one in the address"],
  [sqlState.insufficientPrivilege, "the user may not make tables or write to them; grant it, or name another user"],
  [sqlState.tooManyConnections, "the server has no connection left; end some, or allow more"],
  ["57P03", "the server is starting or stopping, or a standby with hot_standby off; try again, or switch that on"],
  ["57P01", "the server is stopping; try again"],
  [sqlState.lockNotAvailable, "another transaction has locked its tables; end that one, or try again"],
  [sqlState.diskFull, "the disk of the server is full; make room"],
  [
    sqlState.readOnly,
    "it is read-only, as a standby is, and lacks what this program keeps in it; start the program on the primary first",
  ],
  ["40", "something else was done in it at the same time; try again"],
  ["08", "the connection broke; try again"],
]);
