import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { administrator } from "../../packages/collection/test/postgres-programs.ts";
import { execute, type PostgresServer } from "../../packages/collection/test/start-postgres.ts";
import { type CitusNode, startCitusNode } from "./citus-node.ts";
import { CannotStart, type DatabaseCluster, until } from "./database-cluster.ts";

/** The schema of the people. Citus keeps all of its tables on one worker. */
const schema = "people";

/** How long a server that was killed stays away, in milliseconds. */
const away = 2000;

/**
 * Starts a coordinator and two workers of Citus on loopback, with sharding by schema. The service gets the addresses of the
 * coordinator and its standby.
 *
 * @param faults those that will be driven; for a failover, each node has a synchronous standby
 * @throws CannotStart when the variable `PG_BIN` names no PostgreSQL with Citus
 */
export async function startCitus(faults: readonly string[]): Promise<DatabaseCluster> {
  const bin = findInstallation();
  const nodes: CitusNode[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.end()));
  };
  const start = async (): Promise<CitusNode> => {
    const node = await startCitusNode(bin, ...flags);
    nodes.push(node);
    return node;
  };
  try {
    const coordinator = await start();
    const workers = [await start(), await start()];
    const ask = (text: string): Promise<readonly (readonly unknown[])[]> => execute(coordinator.server.url, text);
    for (const { server } of nodes) await execute(server.url, extension);
    await ask(coordinatorAt(coordinator.server.port));
    for (const { server } of workers) await ask(`SELECT citus_add_node('127.0.0.1', ${server.port})`);
    await ask(`CREATE SCHEMA ${schema}; SELECT citus_schema_distribute('${schema}')`);
    if (faults.some((fault) => fault.endsWith("failover"))) for (const node of nodes) await node.addStandby();

    const workerWith = async (isHolder: boolean): Promise<CitusNode> => {
      const text = `SELECT nodeport FROM citus_shards WHERE citus_table_type = 'schema' LIMIT 1`;
      const [[port] = []] = await ask(text);
      const found = workers.find(({ server }) => (server.port === Number(port)) === isHolder);
      if (found === undefined) throw new Error(`No worker has the schema ${schema}`);
      return found;
    };
    const restart = async (server: PostgresServer): Promise<void> => {
      await server.kill();
      await pause(away);
      await server.start();
    };
    /** Undoes what is left of a fault. */
    let undo = async (): Promise<void> => undefined;
    const failOver = async (node: CitusNode, toStatement: (from: number, to: number) => string): Promise<void> => {
      const [from, to] = node.ports;
      await node.failOver();
      await ask(toStatement(from, to));
      undo = () => node.addStandby();
    };
    const { user, password } = administrator;
    const hosts = coordinator.ports.map((port) => `127.0.0.1:${port}`).join(",");
    const options = `options=-csearch_path%3D${schema}&target_session_attrs=read-write`;
    return {
      url: `postgres://${user}:${encodeURIComponent(password)}@${hosts}/postgres?${options}`,
      faults: new Map([
        ["worker", async () => restart((await workerWith(true)).server)],
        ["coordinator", () => restart(coordinator.server)],
        [
          "other",
          async () => {
            const { server } = await workerWith(false);
            await server.kill();
            undo = () => server.start();
          },
        ],
        ["failover", async () => failOver(await workerWith(true), workerAt)],
        ["coordinator-failover", () => failOver(coordinator, (_from, to) => coordinatorAt(to))],
      ]),
      async mend() {
        await undo();
        undo = async () => undefined;
        await until(
          "the worker answers",
          async () => (await ask(`SELECT count(*) FROM ${schema}.person`)).length === 1,
        );
      },
      query: (text) => ask(`SET search_path = ${schema}; ${text}`),
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

/** Makes the statement by which the coordinator finds a worker at another port, even while transactions use the worker. */
const workerAt = (from: number, to: number): string =>
  `SELECT citus_update_node(nodeid, '127.0.0.1', ${to}, force => true, lock_cooldown => 100)
    FROM pg_dist_node WHERE nodeport = ${from}`;

const coordinatorAt = (port: number): string => `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`;

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
