import { hasPgbouncer, startPgbouncer } from "../../packages/collection/test/start-pgbouncer.ts";
import { execute, startPostgres } from "../../packages/collection/test/start-postgres.ts";
import { CannotStart, type DatabaseCluster } from "./database-cluster.ts";

/**
 * Starts a PostgreSQL server and a PgBouncer in transaction mode before it, on loopback.
 *
 * @throws CannotStart when PgBouncer is missing
 */
export async function startPooledPostgres(): Promise<DatabaseCluster> {
  if (!hasPgbouncer) throw new CannotStart("This program is missing: pgbouncer. On Debian: apt-get install pgbouncer");
  const server = await startPostgres();
  const pooler = await startPgbouncer(server.url, "pool_mode = transaction", "server_login_retry = 1");
  return {
    url: pooler.urlOf(server.url),
    faults: new Map([
      ["kill", () => pooler.restart()],
      [
        "server",
        async () => {
          await server.kill();
          await server.start();
        },
      ],
    ]),
    mend: async () => undefined,
    query: (text) => execute(server.url, text),
    async [Symbol.asyncDispose]() {
      await pooler[Symbol.asyncDispose]();
      await server.end();
    },
  };
}
