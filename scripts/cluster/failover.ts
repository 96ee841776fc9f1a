import { execute, startReplication } from "../../packages/collection/test/start-postgres.ts";
import { CannotStart, type DatabaseCluster, until } from "./database-cluster.ts";

/** Starts a primary with a synchronous standby. The service gets the addresses of both, and uses the one that takes changes. */
export async function startReplicated(): Promise<DatabaseCluster> {
  const servers = await startReplication("-c", "fsync=off");
  const { primary, standby } = servers;
  await execute(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await execute(primary.url, "SELECT pg_reload_conf()");
  const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  await until("the standby is synchronous", async () => (await execute(primary.url, isSynchronous)).length === 1);
  const { username, password, pathname } = new URL(primary.url);
  let present = primary;
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}${pathname}?target_session_attrs=read-write`,
    faults: new Map([
      [
        "kill",
        async () => {
          if (present === standby) throw new CannotStart("The standby took over: one round is all");
          await primary.kill();
          await standby.promote();
          present = standby;
        },
      ],
    ]),
    mend: async () => undefined,
    query: (text) => execute(present.url, text),
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}
