import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { administrator } from "../../packages/collection/test/postgres-programs.ts";
import { execute, type PostgresServer, startInstalledPostgres } from "../../packages/collection/test/start-postgres.ts";
import { CannotStart, type DatabaseCluster, pause, until } from "./database-cluster.ts";

/** The schema of the people. Citus keeps all of its tables on one worker. */
const schema = "people";

/** How long a server that was killed stays away, in milliseconds. */
const away = 2000;

/**
 * Starts a coordinator and two workers of Citus on loopback, with sharding by schema. The service gets the address of the coordinator.
 *
 * @throws CannotStart when the variable `PG_BIN` names no PostgreSQL with Citus
 */
export async function startCitus(): Promise<DatabaseCluster> {
  const bin = findInstallation();
  const servers: PostgresServer[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.end()));
  };
  const start = async (): Promise<PostgresServer> => {
    const server = await startInstalledPostgres(bin, ...flags);
    servers.push(server);
    return server;
  };
  try {
    const coordinator = await start();
    const workers = [await start(), await start()];
    for (const { url } of servers) await execute(url, extension);
    await execute(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
    for (const { port } of workers) await execute(coordinator.url, `SELECT citus_add_node('127.0.0.1', ${port})`);
    await execute(coordinator.url, `CREATE SCHEMA ${schema}; SELECT citus_schema_distribute('${schema}')`);

    const workerWith = async (isHolder: boolean): Promise<PostgresServer> => {
      const text = `SELECT nodeport FROM citus_shards WHERE citus_table_type = 'schema' LIMIT 1`;
      const [[port] = []] = await execute(coordinator.url, text);
      const found = workers.find((worker) => (worker.port === Number(port)) === isHolder);
      if (found === undefined) throw new Error(`No worker has the schema ${schema}`);
      return found;
    };
    const restart = async (server: PostgresServer): Promise<void> => {
      await server.kill();
      await pause(away);
      await server.start();
    };
    const url = `${coordinator.url}?options=-csearch_path%3D${schema}`;
    let killed: PostgresServer | undefined;
    return {
      url,
      faults: new Map([
        ["worker", async () => restart(await workerWith(true))],
        ["coordinator", () => restart(coordinator)],
        [
          "other",
          async () => {
            killed = await workerWith(false);
            await killed.kill();
          },
        ],
      ]),
      async mend() {
        await killed?.start();
        killed = undefined;
        await until("the worker answers", async () => (await execute(url, "SELECT count(*) FROM person")).length === 1);
      },
      query: (text) => execute(url, text),
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Settings of all servers. The coordinator and the workers connect to one another without TLS, because all are on one machine. */
const flags = ["-c", "shared_preload_libraries=citus", "-c", "citus.node_conninfo=sslmode=disable"];

/** Makes the extension, and gives the server the password for the others. */
const extension = `CREATE EXTENSION citus;
  INSERT INTO pg_dist_authinfo VALUES (0, '${administrator.user}', $$password='${administrator.password}'$$)`;

function findInstallation(): string {
  const bin = process.env["PG_BIN"];
  if (bin === undefined) {
    throw new CannotStart(
      "PG_BIN is not set. Let it name the directory of the programs of a PostgreSQL that has Citus, for instance /usr/lib/postgresql/17/bin",
    );
  }
  const missing = ["initdb", "postgres"].filter((program) => !existsSync(join(bin, program)));
  if (missing.length > 0) throw new CannotStart(`PG_BIN names ${bin}, where these are missing: ${missing.join(", ")}`);
  if (globSync(join(bin, "../lib/**/citus.{so,dylib}")).length === 0) {
    throw new CannotStart(`The PostgreSQL in ${bin} has no extension citus: install it for this version`);
  }
  return bin;
}
