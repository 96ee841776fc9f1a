import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute } from "../../packages/collection/test/start-postgres.ts";
import { freePort } from "../../packages/waymark/test/free-port.ts";
import { type DatabaseCluster, until } from "./database-cluster.ts";
import { type Host, loopback, makeNetwork } from "./network.ts";
import { findPrograms, serverUser, signalTree, startProgram } from "./programs.ts";

/** In seconds: how long Patroni waits for a primary that says nothing. */
export const timeToLive = 20;

const password = "secret of a test";

/**
 * Starts etcd and three nodes of Patroni, with synchronous replication. The service gets the addresses of all three. They are on
 * loopback or, for a partition of the network, on hosts of their own.
 *
 * @param faults those that will be driven
 * @throws CannotStart when a program is missing, or for a user who may not make a network
 */
export async function startPatroni(faults: readonly string[]): Promise<DatabaseCluster> {
  const versions = globSync("/usr/lib/postgresql/*/bin").toSorted();
  const programs = findPrograms({ patroni: "patroni", etcd: "etcd-server", postgres: "postgresql" }, [
    ...versions.slice(-1),
  ]);
  const network = faults.includes("partition") ? makeNetwork(4) : undefined;
  const [etcdHost = loopback, ...nodeHosts] = network?.hosts ?? [];
  const directory = await mkdtemp(join(tmpdir(), "patroni-"));
  own(directory);
  const log = openSync(join(directory, "log"), "a");
  const [clientPort, peerPort] = [await freePort(), await freePort()];
  const [client, peer] = [`http://${etcdHost.address}:${clientPort}`, `http://${etcdHost.address}:${peerPort}`];
  const etcd = startProgram(
    etcdHost.on(programs.etcd, [
      ...["--data-dir", join(directory, "etcd"), "--enable-v2=true", "--initial-cluster", `default=${peer}`],
      ...["--listen-client-urls", `http://${etcdHost.listen}:${clientPort}`, "--advertise-client-urls", client],
      ...["--listen-peer-urls", `http://${etcdHost.listen}:${peerPort}`, "--initial-advertise-peer-urls", peer],
    ]),
    log,
  );
  await until("etcd answers", async () => (await fetch(`http://${etcdHost.outside}:${clientPort}/health`)).ok);
  const nodes: PatroniNode[] = [];
  for (const [n, name] of ["a", "b", "c"].entries()) {
    nodes.push(
      await newNode({
        name,
        host: nodeHosts[n] ?? loopback,
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
  let cutOff: PatroniNode | undefined;
  const addresses = nodes.map(({ place }) => place).join(",");
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
        "partition",
        async () => {
          cutOff = await leader();
          cutOff.host.cut();
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
      if (cutOff !== undefined) {
        await assertDemoted(cutOff);
        cutOff.host.heal();
        cutOff = undefined;
      }
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
      network?.[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** A PostgreSQL server and the Patroni that watches over it: together they stand for a machine. */
interface PatroniNode {
  readonly name: string;
  readonly host: Host;
  /** The host and the port of its server, for programs outside of the network. */
  readonly place: string;
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
  readonly host: Host;
  readonly directory: string;
  readonly log: number;
  readonly etcd: string;
  readonly patroni: string;
  readonly postgres: string;
}

async function newNode({ name, host, directory, log, etcd, patroni, postgres }: NodeParts): Promise<PatroniNode> {
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
    restapi: { listen: `${host.listen}:${apiPort}`, connect_address: `${host.address}:${apiPort}` },
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
      listen: `${host.listen}:${port}`,
      connect_address: `${host.address}:${port}`,
      data_dir: data,
      pgpass: join(home, "pgpass"),
      bin_dir: join(postgres, ".."),
      parameters: { unix_socket_directories: home },
      pg_hba: ["host all all all md5", "host replication all all md5"],
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
    watching = startProgram(host.on(patroni, [file]), log);
  };
  const signal = (name: NodeJS.Signals): void => {
    if (watching?.pid !== undefined) signalTree(watching.pid, name);
    // PostgreSQL is not among the children of Patroni, which it outlives.
    const id = join(data, "postmaster.pid");
    if (existsSync(id)) signalTree(Number(readFileSync(id, "utf8").split("\n")[0]), name);
  };
  return {
    name,
    host,
    place: `${host.outside}:${port}`,
    url: `postgres://postgres:${encodeURIComponent(password)}@${host.outside}:${port}/postgres`,
    api: `http://${host.outside}:${apiPort}`,
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
const membersOf = (nodes: readonly PatroniNode[]): Promise<readonly Member[]> => Promise.any(nodes.map(askMembers));

async function askMembers({ api }: PatroniNode): Promise<readonly Member[]> {
  const answer = await fetch(`${api}/cluster`, { signal: AbortSignal.timeout(2000) });
  const { members }: { members: readonly Member[] } = JSON.parse(await answer.text());
  return members;
}

/** Every node must say so: one that was cut off knows only what was before. */
async function isSettled(nodes: readonly PatroniNode[]): Promise<boolean> {
  const answers = await Promise.all(nodes.map(askMembers));
  const leaders = new Set(answers.map((members) => members.find(({ role }) => role === "leader")?.name));
  return leaders.size === 1 && answers.every((members) => isComplete(members, nodes.length));
}

function isComplete(members: readonly Member[], size: number): boolean {
  const roles = members.filter(({ state }) => state === "running" || state === "streaming").map(({ role }) => role);
  return roles.length === size && roles.includes("leader") && roles.includes("sync_standby");
}

/** Throws if a node that was cut off still takes changes, as only the primary may. */
async function assertDemoted({ name, url }: PatroniNode): Promise<void> {
  const inRecovery = await execute(url, "SELECT pg_is_in_recovery()").catch(() => undefined); // it may be away
  if (inRecovery?.[0]?.[0] === "f") throw new Error(`Node ${name} has lost its lease, and still takes changes`);
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
