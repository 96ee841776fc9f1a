import { openPersonService } from "@waymark/person-service";
import { execute, startPostgres } from "../packages/collection/test/tools/start-postgres.ts";
import { madeUpFamilyName, madeUpPeople, madeUpPerson } from "./database.ts";
import { type MeasureOptions, rotate } from "./measure.ts";
import { anywhere } from "./placement.ts";
import { count, type Table } from "./report.ts";
import { type MadeRequest, newPerson, spread } from "./requests.ts";
import { processorTime, type ServerProcess, serverProgram, startServer } from "./server-process.ts";
import { type Summary, summarize } from "./summary.ts";

/** How many people are read: fewer than on SQLite, since what is measured is the way to the server and back. */
const people = 10_000;

/** The processor time of a request in microseconds: of the process that answers, and of all processes of PostgreSQL. */
interface Cost {
  readonly service: number;
  readonly database: number;
}

/**
 * Measures the service on a PostgreSQL server that is started for it and writes its commits to the disk: ours beside bare `node:http`
 * and `pg`, with few connections and with many. Both run all the while, and are loaded in turns, so that both are as warm as a busy
 * machine lets them be.
 *
 * @throws Error when a server does not start, a request fails, or the system does not say what processes take
 */
export async function measurePostgres(options: MeasureOptions): Promise<Table> {
  const { rounds, warmUp, signal, onProgress } = options;
  const postgres = await startPostgres();
  try {
    onProgress?.(`postgres: storing ${people} people`);
    const database = await postgres.createDatabase();
    await fill(database);
    const start = (name: string): Promise<ServerProcess> =>
      startServer(serverProgram(name), [database], { placement: anywhere, signal });
    await using ours = await start("ours");
    await using bare = await start("bare-postgres");
    const rows: string[][] = [];
    for (const [name, requests] of Object.entries(kinds)) {
      for (const connections of [16, 64]) {
        onProgress?.(`postgres: ${name}, ${connections} connections`);
        const cost = (server: ServerProcess, seconds: number): Promise<Cost> =>
          costOf(server, postgres.url, requests, connections, { ...options, seconds });
        if (warmUp > 0) for (const server of [ours, bare]) await cost(server, warmUp);
        const costs = { ours: [] as Cost[], bare: [] as Cost[] };
        for (let round = 0; round < rounds; round++) {
          for (const each of rotate(["ours", "bare"] as const, round)) {
            costs[each].push(await cost(each === "ours" ? ours : bare, options.seconds));
          }
        }
        rows.push([
          name,
          `${connections}`,
          ...toCells(costs.ours),
          ...toCells(costs.bare),
          share(costs.bare, costs.ours),
        ]);
      }
    }
    return [["µs of a processor", "connections", "ours", "PostgreSQL", "bare", "PostgreSQL", "of bare"], ...rows];
  } catch (error) {
    signal.throwIfAborted(); // what the interruption breaks fails in ways of its own
    throw error;
  } finally {
    await postgres.end();
  }
}

async function fill(database: string): Promise<void> {
  const { people: store, database: opened } = await openPersonService({ database });
  await store.createAll(madeUpPeople(people));
  await opened.close();
  await execute(database, "VACUUM ANALYZE person"); // as the server does by itself, some minutes later
}

const get = (target: string): MadeRequest => ({ target, fields: {} });
const each = (targetOf: (n: number) => string): readonly MadeRequest[] =>
  spread(people, 1_000).map((n) => get(targetOf(n)));

const kinds: Readonly<Record<string, readonly MadeRequest[]>> = {
  "one person": each((n) => `/person/${n}`),
  "a page again and again": [get("/person?limit=20")],
  "pages at a cursor": each((n) => `/person?limit=20&id[gt]=${n}`),
  "sorted pages": each((n) => `/person?limit=20&sort=familyName&familyName[ge]=${madeUpFamilyName(n)}`),
  "filtered and sorted pages": each((n) => {
    const { birthDate, givenName } = madeUpPerson(n);
    return `/person?limit=20&givenName=${givenName}&birthDate[ge]=${birthDate}&sort=birthDate`;
  }),
  "a new person": [newPerson],
};

async function costOf(
  server: ServerProcess,
  postgres: string,
  requests: readonly MadeRequest[],
  connections: number,
  { generate, seconds, signal }: MeasureOptions,
): Promise<Cost> {
  const processes = (await execute(postgres, "SELECT pid FROM pg_stat_activity")).map(([pid]) => Number(pid));
  const times = async (): Promise<Cost> => {
    const ofPostgres = await Promise.all(processes.map(processorTime));
    const database = ofPostgres.reduce<number>((sum, time = 0) => sum + time, 0); // some have ended
    return { service: (await server.processorTime()) ?? Number.NaN, database };
  };
  const before = await times();
  const load = { url: server.url, requests, connections, seconds, placement: anywhere, signal };
  const { requestsPerSecond } = await generate(load);
  const after = await times();
  const perRequest = 1e6 / (requestsPerSecond * seconds);
  return {
    service: (after.service - before.service) * perRequest,
    database: (after.database - before.database) * perRequest,
  };
}

const medianOfBoth = (costs: readonly Cost[]): Summary | undefined =>
  summarize(costs.map(({ service, database }) => service + database));

/** How many requests ours answers in the processor time in which bare answers one. */
const share = (bare: readonly Cost[], ours: readonly Cost[]): string =>
  ((medianOfBoth(bare)?.median ?? Number.NaN) / (medianOfBoth(ours)?.median ?? Number.NaN)).toFixed(2);

const toCells = (costs: readonly Cost[]): readonly string[] =>
  [costs.map(({ service }) => service), costs.map(({ database }) => database)].map((values) =>
    count(summarize(values)?.median ?? Number.NaN),
  );
