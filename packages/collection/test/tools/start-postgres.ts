import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "../../../waymark/test/tools/free-port.ts";
import {
  administrator,
  copyFiles,
  findPrograms,
  initialise,
  installedPrograms,
  type PostgresPrograms,
} from "./postgres-programs.ts";

/** The variable that has the URL of the server that all files of a run share; `scripts/run-tests.ts` sets it. */
export const sharedServerVariable = "TEST_POSTGRES_URL";

/** The variable that has the folder of the files of a new server, which every server of a run begins with a copy of. */
export const serverFilesVariable = "TEST_POSTGRES_FILES";

/** A PostgreSQL server that was started here. */
export interface PostgresServer {
  readonly port: number;
  /** The URL of its first database, for its administrator. */
  readonly url: string;
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** Stops the server as its administrator would; connections are ended. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL; until it has started again, the system keeps its shared memory. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with the databases that it had. */
  start(): Promise<void>;
  /** Keeps a copy of its files, for which it stops; returns what puts them back while it is stopped. */
  backUp(): Promise<() => Promise<void>>;
  /** Stops it, and removes all that it kept. */
  end(): Promise<void>;
}

/** A server that can follow another one. */
export interface ReplicatedServer extends PostgresServer {
  /** Ends it at once, whether or not others have what it has written. */
  quit(): Promise<void>;
  /** The URL at this server of a database of either. */
  urlOf(database: string): string;
  /** Has it be a standby of the other one when it is started next; it must be stopped, and have nothing that the other has not. */
  follow(primary: PostgresServer): Promise<void>;
  /** Has a standby be a primary; resolves once it takes changes. */
  promote(): Promise<void>;
  /** Resolves once it has all that the other one has now. */
  catchUp(primary: ReplicatedServer): Promise<void>;
}

/**
 * Starts a server with a directory of its own, on a port that is free.
 *
 * @param flags of the program `postgres`
 */
export function startPostgres(...flags: readonly string[]): Promise<PostgresServer> {
  return startServer(findPrograms, newFiles, flags);
}

/** The same, of the programs of an installation, in the directory `bin`. */
export function startInstalledPostgres(bin: string, ...flags: readonly string[]): Promise<PostgresServer> {
  return startServer((directory) => installedPrograms(bin, directory), initialise, flags);
}

/** Starts a server whose files are in a directory, and stay there for the next one; makes those that are missing. */
export async function startKeptPostgres(directory: string, ...flags: readonly string[]): Promise<PostgresServer> {
  const programs = await findPrograms(directory);
  const data = join(directory, "data");
  if (!existsSync(data)) await initialise(programs, directory, data);
  const server = await serverOf({ programs, data, flags, remove: async () => undefined });
  await server.start();
  return server;
}

/** Makes the files of a server in a temporary folder, for `serverFilesVariable`, and returns their path. */
export async function makeServerFiles(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "postgres-files-"));
  const path = join(directory, "data");
  // The 4,096 rounds in which a password is hashed were a twentieth of what the servers do: each connection asks for it.
  await initialise(await findPrograms(directory), directory, path, "--set=scram_iterations=1");
  return path;
}

/** Makes the files of a server of the package's programs: a copy of those that the run has, if it has some. */
const newFiles: typeof initialise = (programs, directory, data) => {
  const made = process.env[serverFilesVariable];
  return made === undefined ? initialise(programs, directory, data) : copyFiles(programs, made, data);
};

async function startServer(
  programsFor: (directory: string) => Promise<PostgresPrograms>,
  makeFiles: typeof initialise,
  flags: readonly string[],
): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "postgres-server-"));
  const programs = await programsFor(directory);
  const data = join(directory, "data");
  await makeFiles(programs, directory, data);
  const server = await serverOf({ programs, data, flags, remove: () => removeAll(directory) });
  await server.start();
  return server;
}

/** A primary, and a standby that follows it. */
export interface ReplicatedServers extends AsyncDisposable {
  readonly primary: ReplicatedServer;
  readonly standby: ReplicatedServer;
}

/**
 * Starts a primary and its standby, which are gone when their scope ends.
 *
 * @param flags of the program `postgres`, for both
 */
export async function startReplication(...flags: readonly string[]): Promise<ReplicatedServers> {
  const { primary, standbys, ...servers } = await startStandbys(1, ...flags);
  const [standby] = standbys as [ReplicatedServer]; // there is one
  return { primary, standby, ...servers };
}

/** A primary, and the standbys that follow it. */
export interface PrimaryWithStandbys extends AsyncDisposable {
  readonly primary: ReplicatedServer;
  readonly standbys: readonly ReplicatedServer[];
}

/** Starts a primary with so many standbys, as `startReplication` does. */
export async function startStandbys(count: number, ...flags: readonly string[]): Promise<PrimaryWithStandbys> {
  const directory = await mkdtemp(join(tmpdir(), "postgres-servers-"));
  const programs = await findPrograms(directory);
  const data = join(directory, "data");
  await newFiles(programs, directory, data);
  // So that a standby finds what was written before it was there.
  const common = { programs, flags: ["-c", "wal_keep_size=256MB", ...flags], remove: async () => undefined };
  const standbys: ReplicatedServer[] = [];
  for (let n = 1; n <= count; n++) {
    const copy = join(directory, `copy${n}`);
    await copyFiles(programs, data, copy);
    standbys.push(await serverOf({ ...common, data: copy }));
  }
  const primary = await serverOf({ ...common, data });
  await primary.start();
  for (const standby of standbys) {
    await standby.follow(primary);
    await standby.start();
  }
  return {
    primary,
    standbys,
    async [Symbol.asyncDispose]() {
      await Promise.all([primary, ...standbys].map((server) => server.quit()));
      await removeAll(directory);
    },
  };
}

interface ServerParts {
  readonly programs: PostgresPrograms;
  readonly data: string;
  /** Left out for one that is free. */
  readonly port?: number;
  readonly flags: readonly string[];
  readonly remove: () => Promise<void>;
}

/** A server that is still to be started. */
async function serverOf({ programs, data, flags, remove, ...given }: ServerParts): Promise<ReplicatedServer> {
  const port = given.port ?? (await freePort());
  const source: string[] = [];
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const options = ["-D", data, "-p", String(port), "-c", "max_connections=200", "-c", "unix_socket_directories="];
    server = spawn(programs.postgres, [...options, ...flags, ...source], {
      ...programs.user,
      stdio: ["ignore", "ignore", "pipe"],
    });
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
    const { user, password } = administrator;
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  };
  const ask = (text: string): Promise<readonly (readonly unknown[])[]> => execute(address("postgres"), text);
  return {
    port,
    url: address("postgres"),
    createDatabase: () => createSchema(address("postgres")),
    stop,
    quit: () => signal("SIGQUIT"),
    kill: () => signal("SIGKILL"),
    start: () => startAgain(start),
    async backUp() {
      const copy = `${data}-backup`;
      await stop();
      await copyFiles(programs, data, copy);
      await startAgain(start);
      return async () => {
        await removeAll(data);
        await copyFiles(programs, copy, data);
      };
    },
    async end() {
      await stop();
      await remove();
    },
    urlOf(database) {
      const url = new URL(database);
      url.port = String(port);
      return url.href;
    },
    async follow(primary) {
      const { user, password } = administrator;
      const followed = `host=127.0.0.1 port=${primary.port} user=${user} password='${password}'`;
      source.splice(0, source.length, "-c", `primary_conninfo=${followed}`);
      await writeFile(join(data, "standby.signal"), "");
    },
    async promote() {
      await ask("SELECT pg_promote()");
    },
    async catchUp(primary) {
      const [[place] = []] = await execute(primary.urlOf(address("postgres")), "SELECT pg_current_wal_flush_lsn()");
      const isThere = `SELECT pg_last_wal_replay_lsn() >= '${place}'`;
      while ((await ask(isThere))[0]?.[0] !== "t");
    },
  };
}

/** Makes an empty schema, which takes a tenth of the time that a database takes and keeps tables apart as well; returns the URL of it. */
export async function createSchema(database: string): Promise<string> {
  const name = uniqueName();
  await execute(database, `CREATE SCHEMA ${name}`);
  return `${database}?options=-csearch_path%3D${name}`;
}

/** A name that no other database or schema of tests has. */
export const uniqueName = (): string => `test_${randomUUID().replaceAll("-", "")}`;

/** Resolves when the server takes connections. */
function isReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    server.once("exit", () => reject(new Error(`The server has not started: ${log}`)));
    server.once("error", reject);
    server.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      if (log.length < 10_000) log += piece;
      if (/ready to accept (?:read-only )?connections/.test(piece)) resolve();
    });
  });
}

/** The servers that are to end with this process. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const server of running) server.kill("SIGQUIT");
});

/** As long as processes of a server that was killed are ending, another one refuses to start. */
async function startAgain(start: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await start();
      return;
    } catch (cause) {
      if (attempt === 200) throw new Error("The server does not start", { cause });
      await elapse(50); // milliseconds
    }
  }
}

const removeAll = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true });

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
