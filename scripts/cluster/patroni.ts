import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "../../packages/collection/test/start-postgres.ts";
import { freePort } from "../../packages/waymark/test/free-port.ts";
import { type DatabaseCluster, until } from "./database-cluster.ts";
import { findPrograms, serverUser, signalTree, startProgram } from "./programs.ts";

/** In seconds: how long Patroni waits for a primary that says nothing. */
export const timeToLive = 20;

const password = "secret of a test";

/**
 * Starts etcd and three nodes of Patroni, with synchronous replication, on loopback. The service gets the addresses of all three.
 *
 * @throws CannotStart when a program is missing
 */
export async function startPatroni(): Promise<DatabaseCluster> {
  const versions = globSync("/usr/lib/postgresql/*/bin").toSorted();
  const programs = findPrograms({ patroni: "patroni", etcd: "etcd-server", postgres: "postgresql" }, [
    ...versions.slice(-1),
  ]);
  const directory = await mkdtemp(join(tmpdir(), "patroni-"));
  own(directory);
  const log = openSync(join(directory, "log"), "a");
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`) as [
    string,
    string,
  ]; // of two
  const etcd = startProgram(
    programs.etcd,
    [
      ...["--data-dir", join(directory, "etcd"), "--enable-v2=true", "--initial-cluster", `default=${peer}`],
      ...["--listen-client-urls", client, "--advertise-client-urls", client],
      ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
    ],
    log,
  );
  await until("etcd answers", async () => (await fetch(`${client}/health`)).ok);
  const nodes: PatroniNode[] = [];
  for (const name of ["a", "b", "c"]) {
    nodes.push(
      await newNode({
        name,
        directory,
        log,
        etcd: new URL(client).host,
        patroni: programs.patroni,
        postgres: programs.postgres,
      }),
    );
  }
  process.once("exit", () => {
    for (const node of nodes) node.signal("SIGKILL");
  });
  for (const node of nodes) node.start();
  await until("all nodes work together", () => isSettled(nodes));

  const leader = async (): Promise<PatroniNode> => {
    const name = (await membersOf(nodes)).find(({ role }) => role === "leader")?.name;
    const found = nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error("There is no leader");
    return found;
  };
  let slow = false;
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return {
    url: `postgres://postgres:${encodeURIComponent(password)}@${addresses}/postgres?target_session_attrs=read-write`,
    faults: new Map([
      ["kill", () => leader().then((node) => node.signal("SIGKILL"))],
      ["freeze", () => leader().then((node) => node.signal("SIGSTOP"))],
      [
        "switchover",
        async () => {
          const { name, api } = await leader();
          await fetch(`${api}/switchover`, { method: "POST", body: JSON.stringify({ leader: name }) });
        },
      ],
      [
        "slow",
        async () => {
          slow = true;
          await configure(nodes, { commit_delay: 20_000, commit_siblings: 0 }); // microseconds
        },
      ],
    ]),
    async mend() {
      if (slow) await configure(nodes, { commit_delay: 0, commit_siblings: 5 });
      slow = false;
      for (const node of nodes) node.mend();
      await until("all nodes work together again", () => isSettled(nodes));
    },
    async query(text) {
      return execute((await leader()).url, text);
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) node.signal("SIGKILL");
      etcd.kill("SIGKILL");
      await once(etcd, "exit");
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** A PostgreSQL server and the Patroni that watches over it: together they stand for a machine. */
interface PatroniNode {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** The URL of Patroni's own interface. */
  readonly api: string;
  start(): void;
  /** Sends a signal to all of its processes. */
  signal(signal: NodeJS.Signals): void;
  /** Has it run again, whatever was sent to it. */
  mend(): void;
}

interface NodeParts {
  readonly name: string;
  readonly directory: string;
  readonly log: number;
  readonly etcd: string;
  readonly patroni: string;
  readonly postgres: string;
}

async function newNode({ name, directory, log, etcd, patroni, postgres }: NodeParts): Promise<PatroniNode> {
  const home = join(directory, name);
  mkdirSync(home);
  own(home);
  const [port, apiPort] = [await freePort(), await freePort()];
  const data = join(home, "data");
  const credentials = { username: "postgres", password };
  const configuration = {
    scope: "people",
    name,
    etcd: { host: etcd },
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    bootstrap: {
      dcs: {
        ttl: timeToLive,
        loop_wait: 2,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { wal_log_hints: "on" } },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      pgpass: join(home, "pgpass"),
      bin_dir: join(postgres, ".."),
      parameters: { unix_socket_directories: home },
      pg_hba: ["host all all 127.0.0.1/32 md5", "host replication all 127.0.0.1/32 md5"],
      authentication: {
        superuser: credentials,
        rewind: credentials,
        replication: { username: "replicator", password },
      },
    },
  };
  const file = join(home, "patroni.yml");
  writeFileSync(file, JSON.stringify(configuration)); // which is YAML, too
  own(file);
  let watching: ChildProcess | undefined;
  const start = (): void => {
    watching = startProgram(patroni, [file], log);
  };
  const signal = (name: NodeJS.Signals): void => {
    if (watching?.pid !== undefined) signalTree(watching.pid, name);
    // PostgreSQL is not among the children of Patroni, which it outlives.
    const id = join(data, "postmaster.pid");
    if (existsSync(id)) signalTree(Number(readFileSync(id, "utf8").split("\n")[0]), name);
  };
  return {
    name,
    port,
    url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    api: `http://127.0.0.1:${apiPort}`,
    start,
    signal,
    mend() {
      signal("SIGCONT");
      if (watching?.exitCode !== null || watching.signalCode !== null) start();
    },
  };
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** What the first node that answers says about all. */
async function membersOf(nodes: readonly PatroniNode[]): Promise<readonly Member[]> {
  const ask = async ({ api }: PatroniNode): Promise<readonly Member[]> => {
    const answer = await fetch(`${api}/cluster`, { signal: AbortSignal.timeout(2000) });
    const { members }: { members: readonly Member[] } = JSON.parse(await answer.text());
    return members;
  };
  return Promise.any(nodes.map(ask));
}

async function isSettled(nodes: readonly PatroniNode[]): Promise<boolean> {
  const members = await membersOf(nodes);
  const roles = members.filter(({ state }) => state === "running" || state === "streaming").map(({ role }) => role);
  return roles.length === nodes.length && roles.includes("leader") && roles.includes("sync_standby");
}

async function configure(nodes: readonly PatroniNode[], parameters: Readonly<Record<string, number>>): Promise<void> {
  const body = JSON.stringify({ postgresql: { parameters } });
  const answer = await fetch(`${nodes[0]?.api}/config`, { method: "PATCH", body });
  if (!answer.ok) throw new Error(`Patroni refuses ${body}: ${await answer.text()}`);
}

function own(path: string): void {
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
