import { StoreReadOnly, StoreReadTimeout, StoreUnavailable } from "../../store.ts";

/** Error codes of PostgreSQL (SQLSTATE) that something hangs on here; the other ones are known by their class. */
export const sqlState = {
  invalidPassword: "28P01",
  uniqueViolation: "23505",
  completionUnknown: "40003",
  lockNotAvailable: "55P03",
  queryCanceled: "57014",
  readOnly: "25006",
  diskFull: "53100",
  tooManyConnections: "53300",
  insufficientPrivilege: "42501",
  noSuchDatabase: "3D000",
} as const;

/** The connection broke, or was given up, before the answer was there: what had been sent may have been done or not. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The error code that the server sent; undefined for every other value. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  // The codes of the system, such as ECONNRESET and EPIPE, come on errors that have no severity.
  return "severity" in error && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/**
 * Whether a transaction was undone, and may succeed when it is tried again (class 40): it met another one or, on a standby,
 * what was to be taken over from the primary.
 */
export const isTransactionRollback = (error: unknown): boolean =>
  sqlStateOf(error)?.startsWith("40") === true && !isOutcomeUnknown(error);

/** Whether it cannot be told if a commit was made: the connection broke, or the machines of a distributed engine lost one another. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ConnectionLost || sqlStateOf(error) === sqlState.completionUnknown;

/** What a store throws for an error of the database: StoreUnavailable when trying later may help, else the error itself. */
export function toStoreFault(error: unknown): unknown {
  if (error instanceof ConnectionLost) return new StoreUnavailable(error.message, { cause: error });
  const state = sqlStateOf(error);
  if (state === undefined) return error;
  if (state === sqlState.readOnly) return new StoreReadOnly("The database is read-only", { cause: error });
  const reason = temporary.get(state) ?? temporary.get(state.slice(0, 2));
  return reason === undefined ? error : new StoreUnavailable(reason, { cause: error });
}

/** As `toStoreFault`, for what takes longer the more records there are: what the server stopped for its time is a StoreReadTimeout. */
export function toSelectionFault(error: unknown): unknown {
  if (sqlStateOf(error) !== sqlState.queryCanceled) return toStoreFault(error);
  return new StoreReadTimeout("It takes longer than the database may work on a statement", { cause: error });
}

/** By code, or by the two characters of its class. */
const temporary: ReadonlyMap<string, string> = new Map([
  ["08", "The connection to the database broke"],
  ["25P03", "The database ended a transaction that took too long"],
  ["28", "The database no longer lets the program in"],
  [sqlState.noSuchDatabase, "The database is gone"],
  ["40", "The database undid what met something else that was done at the same time"],
  ["53", "The database has run out of room, memory or connections"],
  [sqlState.lockNotAvailable, "Another transaction holds what is to be changed"],
  ["57", "The database stopped the work: it took too long, or the server is going down"],
  ["58", "The system of the database reports an error"],
]);
