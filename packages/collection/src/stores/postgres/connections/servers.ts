import { UnusableDatabase } from "../../unusable-database.ts";
import type { PostgresAddress, PostgresRole, PostgresServer } from "./address.ts";
import { PostgresConnection } from "./connection.ts";
import { NoServer } from "./fault.ts";
import type { PostgresTimeouts } from "./session.ts";

/**
 * Opens a connection to the first server of a database that can be reached and has the wanted role now.
 *
 * @throws the error of the server, or of the system; NoServer when several cannot be used; UnusableDatabase when none of those that
 *   can be used has the role
 */
export type OpenServer = (timeouts: PostgresTimeouts) => Promise<PostgresConnection>;

/** Makes what opens connections to the servers at an address. */
export function openServerAt({ servers, role }: PostgresAddress): OpenServer {
  /** The server that last had the role. It is tried first. */
  let latest: PostgresServer | undefined;
  return async (timeouts) => {
    const others = servers.filter((server) => server !== latest);
    const inOrder = latest === undefined ? others : [latest, ...others];
    const faults = new Map<string, unknown>();
    for (const wanted of role === "prefer-standby" ? (["standby", "any"] as const) : [role]) {
      for (const server of inOrder) {
        let connection: PostgresConnection | undefined;
        try {
          connection = await PostgresConnection.open(server, timeouts, wanted);
          if (wanted !== "any") await assertRole(connection, wanted);
          latest = server;
          return connection;
        } catch (error) {
          connection?.destroy();
          faults.set(server.place, error);
        }
      }
    }
    const all = [...faults];
    const unusable = all.filter(([_place, fault]) => !(fault instanceof UnusableDatabase));
    const [[, fault] = all[0] ?? []] = unusable;
    throw unusable.length > 1 ? new NoServer(new Map(unusable)) : fault;
  };
}

async function assertRole(connection: PostgresConnection, role: Exclude<PostgresRole, "any">): Promise<void> {
  const [[inRecovery, readOnly] = []] = await connection.queryAlone<readonly [inRecovery: string, readOnly: string]>({
    text: "SELECT pg_is_in_recovery(), current_setting('transaction_read_only')",
  });
  const isStandby = inRecovery === "t";
  const takesChanges = readOnly === "off";
  const roles = {
    "read-write": takesChanges,
    "read-only": !takesChanges,
    primary: !isStandby,
    standby: isStandby,
    "prefer-standby": true,
  };
  if (!roles[role]) throw new UnusableDatabase(`none of its servers is ${role} now; start one, or name others`);
}
