import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { newPostgresDatabase } from "../../collection/test/postgres-server.ts";
import { startReplication } from "../../collection/test/start-postgres.ts";
import { openFolder } from "../../waymark/test/folder.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

interface FollowerRun {
  /** How many instances make the changes. */
  readonly programs: number;
  readonly clients: number;
  /** How long the clients make changes at least, and how often the follower is killed meanwhile. */
  readonly seconds: number;
  readonly kills: number;
}

/** The instances of one service. */
interface Instances extends AsyncDisposable {
  /** Those that take changes. */
  readonly urls: readonly string[];
  /** Those that are followed. */
  readonly followed: readonly string[];
}

const folder = openFolder("killed-followers");

/**
 * Tests that a program which copies the people of a service into an empty database of its own, and is killed and started again at
 * random while clients create, change and remove people, has all of them in the end, and gets no change twice in one life.
 */
export function describeKilledFollowers(run: FollowerRun): void {
  const kinds: readonly (readonly [what: string, start: () => Promise<Instances>])[] = [
    [`SQLite, instances: ${run.programs}`, () => startInstances(run.programs, "--database", folder.newFile())],
    [
      `PostgreSQL, instances: ${run.programs}`,
      async () => startInstances(run.programs, "--database", await newPostgresDatabase()),
    ],
    [`PostgreSQL, instances: ${run.programs} and one of a standby`, () => startWithStandby(run.programs)],
  ];
  describe("a follower that is killed again and again", () => {
    for (const [what, start] of kinds) {
      it(`has a whole copy in the end (${what})`, async (t) => {
        await using instances = await start();
        t.diagnostic(await isCopied(instances, run));
      });
    }
  });
}

async function startInstances(count: number, ...options: readonly string[]): Promise<Instances> {
  const services: ServiceProcess[] = [];
  for (let n = 0; n < count; n++) services.push(await startService(...options));
  const urls = services.map(({ url }) => url);
  return {
    urls,
    followed: urls,
    async [Symbol.asyncDispose]() {
      for (const service of services) await service[Symbol.asyncDispose]();
    },
  };
}

/** The instance on the standby is followed, too: to it, a cursor of another one may be ahead of what it has. */
async function startWithStandby(count: number): Promise<Instances> {
  const servers = await startReplication("-c", "fsync=off");
  const location = await servers.primary.createDatabase();
  const instances = await startInstances(count, "--database", location);
  await servers.standby.catchUp(servers.primary);
  const standby = await startInstances(1, "--database", servers.standby.urlOf(location));
  return {
    urls: instances.urls,
    followed: [...instances.urls, ...standby.urls],
    async [Symbol.asyncDispose]() {
      for (const each of [standby, instances, servers]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Returns what was done, to be reported. */
async function isCopied({ urls, followed }: Instances, { clients, seconds, kills }: FollowerRun): Promise<string> {
  const file = folder.newFile();
  const isOver = new AbortController();
  const changing = Array.from({ length: clients }, (_, n) =>
    changeAtRandom(urls[n % urls.length] ?? "", `${n}`, isOver.signal),
  );
  // Where a client fails, so does the test at once.
  const failing = Promise.all(changing).then(() => undefined);
  const until = performance.now() + seconds * 1000;
  let killed = 0;
  for (; killed < kills || performance.now() < until; killed++) {
    const follower = startFollower(file, "forever", followed);
    await Promise.race([once(follower.child.stdout, "data"), follower.exited, failing]);
    await elapse(Math.random() ** 2 * 500);
    follower.child.kill("SIGKILL");
    assert.deepEqual(await follower.exited, { code: null, signal: "SIGKILL", stderr: "" });
  }
  isOver.abort();
  const counts = await Promise.all(changing);
  const end = await startFollower(file, "once", followed).exited;
  assert.deepEqual(end, { code: 0, signal: null, stderr: "" });
  const answer = await fetch(`${urls[0]}/person?format=ndjson`);
  const people = (await answer.text()).split("\n").slice(0, -1).toSorted();
  const database = new DatabaseSync(file, { readOnly: true });
  const copy = database
    .prepare("SELECT document FROM person")
    .all()
    .map(({ document }) => String(document))
    .toSorted();
  database.close();
  assert.equal(copy.length, people.length);
  // An assertion of all of them would compare them for minutes, to show where they differ.
  assert.deepEqual(copy.filter((document, n) => document !== people[n]).slice(0, 3), []);
  return `${counts.reduce((sum, count) => sum + count, 0)} changes, ${killed} kills, ${people.length} people in the end`;
}

const program = fileURLToPath(new URL("./follower-program.ts", import.meta.url));

function startFollower(file: string, life: "forever" | "once", urls: readonly string[]) {
  const child = spawn(process.execPath, [program, file, life, ...urls], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  const exited = Promise.all([once(child, "close"), text(child.stderr)]).then(([[code, signal], stderr]) => ({
    code,
    signal,
    stderr,
  }));
  return { child, exited };
}

/** Creates, changes and removes people, now and then many at once; returns how many requests were answered with a change. */
async function changeAtRandom(url: string, client: string, signal: AbortSignal): Promise<number> {
  const ids: number[] = [];
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) ?? null });
    await response.arrayBuffer();
    // Others may hold the locks for too long, or may have removed the person.
    assert.ok([200, 201, 204, 404, 503].includes(response.status), `${method} ${path}: ${response.status}`);
    return response;
  };
  let count = 0;
  for (let n = 0; !signal.aborted; n++) {
    const id = ids[Math.floor(Math.random() * ids.length)] ?? 1 + Math.floor(Math.random() * 100);
    const person = { name: `${client} ${n}`, description: "x".repeat(Math.random() * 400) };
    const chance = Math.random();
    let response: Response;
    if (chance < 0.45) {
      response = await send("POST", "/person", person);
      const location = response.headers.get("Location");
      if (location !== null) ids.push(Number(location.split("/").at(-1)));
    } else if (chance < 0.79) response = await send("PUT", `/person/${id}`, person);
    else if (chance < 0.999) response = await send("DELETE", `/person/${id}`);
    else
      response = await send(
        "POST",
        "/person",
        Array.from({ length: Math.ceil(Math.random() * 500) }, () => person),
      );
    if (response.ok) count++;
  }
  return count;
}
