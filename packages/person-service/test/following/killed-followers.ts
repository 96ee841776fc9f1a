import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPostgresDatabase } from "@waymark/collection";
import { Client } from "pg";
import { startPostgres, startReplication } from "../../../collection/test/tools/start-postgres.ts";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { personCollection } from "../../src/person/collection.ts";
import { type ServiceProcess, startService } from "../tools/programs/service-process.ts";

interface FollowerRun {
  /** How many instances make the changes. */
  readonly programs: number;
  readonly clients: number;
  /** How long the clients make changes at least, and how often the follower is killed meanwhile. */
  readonly seconds: number;
  readonly kills: number;
  /** How long each transaction of others stays open, and how long a standby lags before it is promoted, in seconds. */
  readonly held: number;
}

/** The instances of one service. */
interface Instances extends AsyncDisposable {
  /** Those that take changes. */
  readonly urls: readonly string[];
  /** Those that are followed. */
  readonly followed: readonly string[];
  /** What happens to their database while they take changes. */
  readonly meanwhile?: () => Promise<void>;
  /** Whether changes are lost by that, so that followers have to begin again. */
  readonly losesChanges?: true;
}

const folder = openFolder("killed-followers");

/**
 * Tests that a program which copies the people of a service into an empty database of its own, and is killed and started again at
 * random while clients create, change and remove people, has all of them in the end, and gets no change twice in one life.
 */
export function describeKilledFollowers(run: FollowerRun): void {
  const kinds: readonly (readonly [what: string, start: (run: FollowerRun) => Promise<Instances>])[] = [
    ["SQLite, with transactions of others", startOnFile],
    ["PostgreSQL, with transactions of others", startWithTransactions],
    ["PostgreSQL, with a standby that is followed", startWithStandby],
    ["PostgreSQL, with a failover to a standby that lags", startWithFailover],
  ];
  describe("a follower that is killed again and again", () => {
    for (const [what, start] of kinds) {
      it(`has a whole copy in the end (${what}, instances: ${run.programs})`, async (t) => {
        await using instances = await start(run);
        t.diagnostic(await isCopied(instances, run));
      });
    }
  });
}

async function startInstances(count: number, location: string): Promise<Instances> {
  const services: ServiceProcess[] = [];
  for (let n = 0; n < count; n++) services.push(await startService("--database", location));
  const urls = services.map(({ url }) => url);
  return {
    urls,
    followed: urls,
    async [Symbol.asyncDispose]() {
      for (const service of services) await service[Symbol.asyncDispose]();
    },
  };
}

/** Another program reads in one transaction all the while, and changes people in one that it rolls back. */
async function startOnFile({ programs, held }: FollowerRun): Promise<Instances> {
  const file = folder.newFile();
  const instances = await startInstances(programs, file);
  return {
    ...instances,
    async meanwhile() {
      const [reader, writer] = [new DatabaseSync(file), new DatabaseSync(file, { timeout: 10_000 })];
      reader.exec("BEGIN; SELECT count(*) FROM person");
      await elapse(held * 1000);
      writer.exec("BEGIN IMMEDIATE; DELETE FROM person");
      await elapse(held * 100);
      for (const each of [writer, reader]) {
        each.exec("ROLLBACK");
        each.close();
      }
    },
  };
}

/**
 * Transactions of others stay open, which keeps followers from changes: one that creates people among the changes of the clients, one that
 * is rolled back, one in another database, and one that is prepared.
 */
async function startWithTransactions({ programs, held }: FollowerRun): Promise<Instances> {
  const server = await startPostgres("-c", "fsync=off", "-c", "max_prepared_transactions=1");
  const location = await server.createDatabase();
  const instances = await startInstances(programs, location);
  const milliseconds = held * 1000;
  return {
    ...instances,
    async meanwhile() {
      const options = { collections: [personCollection], statementTimeout: milliseconds + 30_000 };
      const database = await openPostgresDatabase(location, options);
      const create = (name: string, end: () => void): Promise<void> =>
        database.transaction(async (tx) => {
          await tx.store("person").create({ name });
          await elapse(milliseconds);
          end();
        });
      await create("Stored late", () => undefined);
      const undone = new Error("It is rolled back");
      await assert.rejects(
        create("Never stored", () => {
          throw undone;
        }),
        undone,
      );
      await database.close();
      const other = new Client({ connectionString: server.url });
      await other.connect();
      await other.query("BEGIN; SELECT pg_current_xact_id()");
      await elapse(milliseconds);
      await other.query("PREPARE TRANSACTION 'held'");
      await elapse(milliseconds);
      await other.query("ROLLBACK PREPARED 'held'");
      await other.end();
    },
    async [Symbol.asyncDispose]() {
      await instances[Symbol.asyncDispose]();
      await server.end();
    },
  };
}

/** The instance on the standby is followed, too: to it, a cursor of another one may be ahead of what it has. */
async function startWithStandby({ programs }: FollowerRun): Promise<Instances> {
  const servers = await startReplication("-c", "fsync=off");
  const location = await servers.primary.createDatabase();
  const instances = await startInstances(programs, location);
  await servers.standby.catchUp(servers.primary);
  const standby = await startInstances(1, servers.standby.urlOf(location));
  return {
    urls: instances.urls,
    followed: [...instances.urls, ...standby.urls],
    async [Symbol.asyncDispose]() {
      for (const each of [standby, instances, servers]) await each[Symbol.asyncDispose]();
    },
  };
}

/** The standby does not get the last changes of the primary, which then is gone. */
async function startWithFailover({ programs, held }: FollowerRun): Promise<Instances> {
  const servers = await startReplication("-c", "fsync=off");
  const { primary, standby } = servers;
  const location = new URL(await primary.createDatabase());
  location.searchParams.set("target_session_attrs", "read-write");
  const place = `127.0.0.1:${primary.port}`;
  const instances = await startInstances(programs, location.href.replace(place, `${place},127.0.0.1:${standby.port}`));
  return {
    ...instances,
    async meanwhile() {
      await elapse(held * 1000);
      await standby.stop();
      await elapse(held * 1000);
      await primary.quit();
      await standby.start();
      await standby.promote();
    },
    losesChanges: true,
    async [Symbol.asyncDispose]() {
      for (const each of [instances, servers]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Returns what was done, to be reported. */
async function isCopied(instances: Instances, { clients, seconds, kills }: FollowerRun): Promise<string> {
  const { urls, followed, meanwhile, losesChanges = false } = instances;
  const file = folder.newFile();
  const isOver = new AbortController();
  const changing = Array.from({ length: clients }, (_, n) =>
    changeAtRandom(urls[n % urls.length] ?? "", `${n}`, isOver.signal),
  );
  // Where a client fails, so does the test at once.
  const failing = Promise.all(changing).then(() => undefined);
  let isCalm = false;
  const happening = Promise.all([meanwhile?.(), elapse(seconds * 1000)]).finally(() => {
    isCalm = true;
  });
  happening.catch(() => undefined); // it is awaited below
  let killed = 0;
  let begunAgain = 0;
  const follow = (life: "forever" | "once") =>
    startFollower(file, life, followed, () => {
      begunAgain++;
    });
  for (; killed < kills || !isCalm; killed++) {
    const follower = follow("forever");
    await Promise.race([once(follower.child.stdout, "data"), follower.exited, failing]);
    await elapse(Math.random() ** 2 * 500);
    follower.child.kill("SIGKILL");
    assert.deepEqual(await follower.exited, { code: null, signal: "SIGKILL", stderr: "" });
  }
  await happening;
  isOver.abort();
  const counts = await Promise.all(changing);
  const end = await follow("once").exited;
  assert.deepEqual(end, { code: 0, signal: null, stderr: "" });
  assert.equal(begunAgain > 0, losesChanges, `begun again: ${begunAgain}`);
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
  const sum = counts.reduce((all, count) => all + count, 0);
  return `${sum} changes, ${killed} kills, ${people.length} people in the end; begun again: ${begunAgain}`;
}

const program = fileURLToPath(new URL("./follower-program.ts", import.meta.url));

function startFollower(file: string, life: "forever" | "once", urls: readonly string[], onBegunAgain: () => void) {
  const child = spawn(process.execPath, [program, file, life, ...urls], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.on("data", (printed: Buffer) => {
    if (printed.includes("begins again")) onBegunAgain();
  });
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
