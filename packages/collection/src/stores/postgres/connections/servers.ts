import type { PostgresAddress, PostgresServer } from "./address.ts";
import { PostgresConnection } from "./connection.ts";
import { NoServer, UnusableDatabase } from "./fault.ts";
import type { PostgresTimeouts } from "./session.ts";

/** The servers of a database. Connections are opened to the one that has the wanted role now. */
export class PostgresServers {
  readonly #address: PostgresAddress;
  /** The server that last had the role. It is tried first. */
  #latest: PostgresServer | undefined;

  constructor(address: PostgresAddress) {
    this.#address = address;
  }

  /**
   * Opens a connection to the first server that can be reached and has the role.
   *
   * @throws the error of the server, or of the system; NoServer when several cannot be used; UnusableDatabase when none of those that
   *   can be used has the role
   */
  async open(timeouts: PostgresTimeouts): Promise<PostgresConnection> {
    const { servers, role } = this.#address;
    const others = servers.filter((server) => server !== this.#latest);
    const inOrder = this.#latest === undefined ? others : [this.#latest, ...others];
    const faults = new Map<string, unknown>();
    for (const wanted of role === "prefer-standby" ? (["standby", "any"] as const) : [role]) {
      for (const server of inOrder) {
        try {
          const connection = await PostgresConnection.open(server, timeouts, wanted);
          this.#latest = server;
          return connection;
        } catch (error) {
          faults.set(server.place, error);
        }
      }
    }
    const all = [...faults];
    const unusable = all.filter(([_place, fault]) => !(fault instanceof UnusableDatabase));
    const [[, fault] = all[0] ?? []] = unusable;
    throw unusable.length > 1 ? new NoServer(new Map(unusable)) : fault;
  }
}
