import { UnusableDatabase } from "../../unusable-database.ts";

/** A statement with its values. A statement with a name is planned once for each connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly (string | number | null)[];
  /** Whether it may take long: then the client waits an hour for its answer. */
  readonly isLong?: boolean;
  /** Whether it reads so little that it may share a connection with others. */
  readonly isShort?: boolean;
  /**
   * Whether its values are texts of arrays, and it has a row for their first elements, one for their second elements, and so on: so
   * the values of others may follow these. The last column of a row is its number, from 1.
   */
  readonly isForMany?: boolean;
}

/** The time limits for the work with a server, each in milliseconds. */
export interface PostgresTimeouts {
  /** The time until a connection can be used. */
  readonly connect: number;
  /** The time of a statement in the server. The client waits for the answer a second longer. */
  readonly statement: number;
  /** The wait for a lock that another transaction holds. */
  readonly lock: number;
}

/** Returns the settings of a server for these limits. */
export function timeoutSettings({ statement, lock }: PostgresTimeouts): {
  readonly [setting in `${"statement" | "lock" | "idle_in_transaction_session"}_timeout`]: number;
} {
  return { statement_timeout: statement, lock_timeout: lock, idle_in_transaction_session_timeout: statement };
}

/**
 * Makes the statement that finishes a session that began with timeouts and options. Its first column says whether the session has
 * them. If so, the session then answers a commit when it is on disk, whatever the server's default, and ends a statement whose
 * client is gone.
 */
export function finishSession({ statement }: PostgresTimeouts, options: string | undefined): Statement {
  return {
    text: `SELECT is_set_up, ${safety.map(({ when, set }) => `CASE WHEN is_set_up AND ${when} THEN ${set("false")} END`)}
      FROM (SELECT extract(epoch FROM current_setting('statement_timeout')::interval) * 1000 = $1::bigint
        AND ($2::text IS NULL OR current_setting('search_path') = $2) AS is_set_up) AS session`,
    values: [statement, searchPathIn(options) ?? null],
  };
}

/** Returns whether an error means that a pooler refuses a setting that a session begins with. */
export const isRefusedParameter = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("unsupported startup parameter");

/** Returns the statement that makes the settings for one transaction. */
export function settingsOfTransaction(timeouts: PostgresTimeouts, options: string | undefined): Statement {
  const path = searchPathIn(options);
  if (options !== undefined && path === undefined) {
    throw new UnusableDatabase(
      "a pooler is in front of it, which does not pass on the options of the address; leave them out, all but -c search_path=…",
    );
  }
  const settings = Object.entries({
    ...timeoutSettings(timeouts),
    ...(path !== undefined && { search_path: path }),
  });
  const calls = settings.map(([name], position) => `set_config('${name}', $${position + 1}, true)`);
  return {
    text: `SELECT ${calls}, ${safety.map(({ when, set }) => `CASE WHEN ${when} THEN ${set("true")} END`)}`,
    values: settings.map(([, value]) => String(value)),
  };
}

/** Returns the search path in the settings of a session; undefined without one, and when there is any other setting. */
function searchPathIn(options = ""): string | undefined {
  const [, path] = /^\s*(?:-c\s*|--)search_path=((?:\\.|[^\s\\])+)\s*$/s.exec(options) ?? [];
  return path?.replaceAll(/\\(.)/gs, "$1");
}

/** Settings in SQL. A server may have other values or, before PostgreSQL 14, not have the setting at all. */
const safety = [
  {
    when: "current_setting('synchronous_commit') = 'off'",
    set: (isLocal: string) => `set_config('synchronous_commit', 'on', ${isLocal})`,
  },
  {
    when: "current_setting('client_connection_check_interval', true) = '0'",
    set: (isLocal: string) => `set_config('client_connection_check_interval', '1s', ${isLocal})`,
  },
] as const;
