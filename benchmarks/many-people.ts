import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import {
  backupSqliteFile,
  kindOf,
  openDatabase,
  openSnapshot,
  type Snapshot,
  type SnapshotRecord,
} from "@waymark/collection";
import { personCollection } from "@waymark/person-service";
import { execute } from "../packages/collection/test/start-postgres.ts";
import { serverProgram } from "./contestant.ts";
import { madeUpFamilyName, madeUpPerson } from "./database.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { summarize } from "./summary.ts";

/** A database of many people, which stays for the next measurement. */
export interface ManyPeople {
  /** The path of an SQLite file, or the URL of a PostgreSQL database. */
  readonly address: string;
  readonly people: number;
  /** A file that has the figures of the steps so far. */
  readonly figuresFile: string;
  /** The path of a database file that may be made and removed. */
  readonly scratchFile: string;
  readonly onProgress?: (step: string) => unknown;
}

/** What a step took. */
export interface Step {
  readonly seconds: number;
  /** Of this process; undefined where another one does the work. */
  readonly processorSeconds?: number;
}

/** What requests of one kind took, in milliseconds. */
export interface Requests {
  readonly count: number;
  readonly median: number;
  readonly max: number;
  /** The processor time of the service for each. */
  readonly processor: number | undefined;
}

/** The figures of a database, by name of the step or of the kind of request; a step that was not taken is missing. */
export interface Figures {
  readonly people?: number;
  readonly steps: Readonly<Record<string, Step>>;
  readonly requests: Readonly<Record<string, Requests>>;
  readonly bytes?: number;
  /** Of the service after the requests, resident. */
  readonly memory?: number;
}

/**
 * Measures a database of many people: fills it where it is empty, by a restore; starts the service on it, and sends requests one
 * after another; copies it; and opens it with one more member to filter by, which rewrites all records.
 *
 * @param from the database to copy; undefined for made-up people
 * @param count how many requests of each kind are sent
 */
export async function measureManyPeople(
  database: ManyPeople,
  from: string | undefined,
  count: number,
): Promise<Figures> {
  const { address, people, scratchFile, onProgress } = database;
  const figures = await keptFigures(database.figuresFile);
  const steps: Record<string, Step> = { ...figures.steps };
  const keep = async (more: Partial<Figures> = {}): Promise<void> => {
    Object.assign(figures, more, { steps });
    await writeFile(database.figuresFile, JSON.stringify(figures, null, 2));
  };
  const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    if (steps[name] !== undefined) return;
    onProgress?.(name);
    steps[name] = await timed(work);
    await keep();
  };

  await step("fill", async () =>
    fill(address, from === undefined ? madeUpSnapshot(people) : await openSnapshot(from), onProgress),
  );
  // What autovacuum would do some minutes later.
  if (isServer(address)) await step("vacuum", () => execute(address, "VACUUM (ANALYZE) person"));
  await keep({ bytes: await sizeOf(address) });
  onProgress?.("requests");
  await keep(await measureService(address, people, count));
  if (isServer(address)) {
    await step("copy", async () => fill(scratchFile, await openSnapshot(address), onProgress));
    await removeFile(scratchFile);
    await step("migrate", () => openWithOneMore(address));
  } else {
    await removeFile(scratchFile);
    if (steps["migrate"] === undefined) delete steps["copy"]; // which makes what is migrated
    await step("copy", () => backupSqliteFile(address, scratchFile));
    await step("migrate", () => openWithOneMore(scratchFile));
    await removeFile(scratchFile);
  }
  return figures;
}

async function keptFigures(file: string): Promise<Figures> {
  const kept = await readFile(file, "utf8").catch(() => undefined);
  return kept === undefined ? { steps: {}, requests: {} } : (JSON.parse(kept) as Figures); // written by `keep`
}

async function timed(work: () => Promise<unknown>): Promise<Step> {
  const [start, processor] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(processor);
  return { seconds: (performance.now() - start) / 1000, processorSeconds: (user + system) / 1e6 };
}

async function fill(address: string, snapshot: Snapshot, onProgress: ManyPeople["onProgress"]): Promise<void> {
  const database = await openDatabase(address, { collections: [personCollection], forRestore: true });
  try {
    let reported = 0;
    await database.restore(snapshot, {
      onProgress({ stored, total }) {
        if (stored - reported < total / 20) return;
        reported = stored;
        onProgress?.(`${stored} of ${total} people`);
      },
    });
  } finally {
    await database.close();
    await snapshot.close();
  }
}

/** Returns the state of a database that made-up people were stored in one after another, in a second each. */
function madeUpSnapshot(people: number): Snapshot {
  return {
    identity: `made-up ${people}`,
    counters: async () => ({ partitions: [{ revision: people, lastId: people }], records: people }),
    async *records(_collection, { after = 0 } = {}) {
      let batch: SnapshotRecord[] = [];
      for (let id = after + 1; id <= people; id++) {
        const time = firstTime + id * 1000;
        const stamp = new Date(time).toISOString();
        const json = JSON.stringify({ id, ...madeUpPerson(id), createdAt: stamp, updatedAt: stamp });
        batch.push({ id, revision: id, createdAt: time, updatedAt: time, json });
        if (batch.length < 2000 && id < people) continue;
        yield batch;
        batch = [];
      }
    },
    async *removals() {},
    seals: async () => [],
    async *keys() {},
    close: async () => undefined,
  };
}

const firstTime = Date.UTC(2020, 0, 1);

const isServer = (address: string): boolean => kindOf(address).fileOf(address) === undefined;

/** In bytes, with all that belongs to it. */
async function sizeOf(address: string): Promise<number> {
  if (!isServer(address)) return (await stat(address)).size;
  const [[size] = []] = await execute(address, "SELECT pg_database_size(current_database())");
  return Number(size);
}

async function openWithOneMore(address: string): Promise<void> {
  const members = { ...personCollection.members, telephone: { filter: "text" } } as const;
  await (await openDatabase(address, { collections: [{ ...personCollection, members }] })).close();
}

async function removeFile(file: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm"]) await rm(file + suffix, { force: true });
}

async function measureService(address: string, people: number, count: number): Promise<Partial<Figures>> {
  const program = serverProgram("ours");
  const { signal } = new AbortController();
  let server: ServerProcess | undefined;
  const start = await timed(async () => {
    server = await startServer({ program, database: address, signal });
  });
  const running = server as unknown as ServerProcess; // it was started
  try {
    const requests: Record<string, Requests> = {
      start: { count: 1, median: start.seconds * 1000, max: start.seconds * 1000, processor: undefined },
    };
    for (const [name, { init, target, share = 1 }] of Object.entries(kindsOf(people))) {
      const numbers = spread(people, Math.max(1, Math.round(count * share)));
      requests[name] = await measureRequests(running, numbers, (n) => [target(n), init?.(n)]);
    }
    const memory = await running.residentMemory();
    return { requests, ...(memory !== undefined && { memory }) };
  } finally {
    await running.end();
  }
}

interface Kind {
  /** For the nth person. */
  readonly target: (n: number) => string;
  readonly init?: (n: number) => RequestInit;
  /** Of the requests of each kind, at least one; default: 1. */
  readonly share?: number;
}

/** The kinds of requests, by name. */
function kindsOf(people: number): Readonly<Record<string, Kind>> {
  const post = (type: string, body: string): RequestInit => ({
    method: "POST",
    headers: { "Content-Type": type },
    body,
  });
  const added = (n: number) => ({ ...madeUpPerson(n), identifier: `added ${performance.now()} ${n}` });
  return {
    person: { target: (n) => `/person/${n}` },
    page: { target: () => "/person?limit=50" },
    sortedPage: { target: (n) => `/person?sort=familyName&limit=50&familyName[ge]=${madeUpFamilyName(n)}` },
    filter: { target: (n) => `/person?identifier=${madeUpPerson(n).identifier}` },
    search: { target: (n) => `/person?q=${madeUpFamilyName(n)}&limit=50` },
    commonSearch: { target: () => "/person?q=hop&limit=50" },
    count: {
      target: () => "/person?limit=1",
      init: () => ({ headers: { Prefer: "count=exact" } }),
      share: 1 / 100,
    },
    post: { target: () => "/person", init: (n) => post("application/json", JSON.stringify(added(n))) },
    bulk: {
      target: () => "/person",
      init: () => {
        const lines = Array.from({ length: Math.min(10_000, people / 10) }, (_, n) => JSON.stringify(added(n + 1)));
        return post("application/x-ndjson", lines.join("\n"));
      },
      share: 0,
    },
  };
}

/** Sends requests one after another. */
async function measureRequests(
  server: ServerProcess,
  numbers: readonly number[],
  toRequest: (n: number) => readonly [target: string, init: RequestInit | undefined],
): Promise<Requests> {
  const times: number[] = [];
  const before = await server.processorTime();
  for (const n of numbers) {
    const [target, init] = toRequest(n);
    const start = performance.now();
    const response = await fetch(`${server.url}${target}`, init);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${target} was answered ${response.status}: ${text}`);
    times.push(performance.now() - start);
  }
  const after = await server.processorTime();
  const processor = before === undefined || after === undefined ? undefined : ((after - before) * 1000) / times.length;
  const { median, max } = summarize(times);
  return { count: times.length, median, max, processor };
}

/** Numbers from 1 to `most`, all over and none near the one before: each is the golden section further on. */
export function spread(most: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => 1 + Math.floor((((i * (Math.sqrt(5) - 1)) / 2) % 1) * most));
}
