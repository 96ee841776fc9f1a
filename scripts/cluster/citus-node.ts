import {
  execute,
  type PostgresServer,
  type ReplicatedServer,
  startInstalledPostgres,
  startInstalledStandby,
} from "../../packages/collection/test/start-postgres.ts";
import { freePort } from "../../packages/waymark/test/free-port.ts";
import { until } from "./database-cluster.ts";

/** The coordinator or a worker of Citus: a server and, where it is asked for, a standby that can take its place. */
export interface CitusNode {
  /** The server that takes changes. */
  readonly server: PostgresServer;
  /** The ports of the server and its standby. A failover swaps them. */
  readonly ports: readonly [server: number, standby: number];
  /** Gives the server a synchronous standby, so that a change is acknowledged when both have it. */
  addStandby(): Promise<void>;
  /** Kills the server, and promotes its standby in its place. */
  failOver(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Starts a node without a standby.
 *
 * @param bin the directory of the programs of a PostgreSQL with Citus
 * @param flags of the program `postgres`, for the server and its standby
 */
export async function startCitusNode(bin: string, ...flags: readonly string[]): Promise<CitusNode> {
  let server = await startInstalledPostgres(bin, ...flags);
  let standby: ReplicatedServer | undefined;
  let standbyPort = await freePort();
  return {
    get server() {
      return server;
    },
    get ports() {
      return [server.port, standbyPort] as const;
    },
    async addStandby() {
      standby = await startInstalledStandby(bin, server, standbyPort, ...flags);
      // Only now, because a server with this setting and no standby makes every change wait.
      await execute(server.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
      await execute(server.url, "SELECT pg_reload_conf()");
      const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
      await until("the standby is synchronous", async () => (await execute(server.url, isSynchronous)).length === 1);
    },
    async failOver() {
      if (standby === undefined) throw new Error("The node has no standby");
      const killed = server;
      await killed.kill();
      await standby.promote();
      server = standby;
      standby = undefined;
      standbyPort = killed.port;
      await killed.end();
    },
    async end() {
      await Promise.all([server.end(), standby?.end()]);
    },
  };
}
