import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../waymark/test/tools/free-port.ts";
import { administrator } from "./postgres-programs.ts";

/** Whether PgBouncer is installed; its tests are left out where it is not. */
export const hasPgbouncer: boolean = spawnSync("pgbouncer", ["--version"]).status === 0;

/** A PgBouncer, which ends with its scope. */
export interface Pooler extends AsyncDisposable {
  /** Returns the URL at the pooler of a database of its server. */
  urlOf(database: string): string;
  /** Kills it, and starts it again on the same port. */
  restart(): Promise<void>;
}

/**
 * Starts a PgBouncer before a server.
 *
 * @param server the URL of a database of the server
 * @param settings further lines of its configuration
 */
export async function startPgbouncer(server: string, ...settings: readonly string[]): Promise<Pooler> {
  const directory = await mkdtemp(join(tmpdir(), "pgbouncer-"));
  const port = await freePort();
  const { user, password } = administrator;
  const users = join(directory, "users");
  await writeFile(users, `"${user}" "${password}"\n`);
  const file = join(directory, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${new URL(server).port}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = plain",
    `auth_file = ${users}`,
    ...settings,
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  // It refuses to run as root, and reads its files as the user it runs as.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, users, file]) await chown(path, 65_534, 65_534);
  const start = async (): Promise<ChildProcess> => {
    const args = [...(isRoot ? ["--user", "nobody"] : []), file];
    const started = spawn("pgbouncer", args, { stdio: ["ignore", "ignore", "pipe"] });
    await hasStarted(started);
    return started;
  };
  let pooler = await start();
  const kill = async (): Promise<void> => {
    pooler.kill("SIGKILL");
    if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, "exit");
  };
  return {
    urlOf(database) {
      const url = new URL(database);
      url.port = String(port);
      return url.href;
    },
    async restart() {
      await kill();
      pooler = await start();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(directory, { recursive: true });
    },
  };
}

/** Resolves when the pooler takes connections. */
function hasStarted(pooler: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    pooler.once("exit", () => reject(new Error(`PgBouncer has not started: ${log}`)));
    pooler.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      log += piece;
      if (log.includes("process up")) resolve();
    });
  });
}
