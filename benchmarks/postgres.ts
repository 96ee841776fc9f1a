import { openPersonService } from "@waymark/person-service";
import { cursorsOf } from "../packages/collection/src/lists/cursor.ts";
import { defaultOrder } from "../packages/collection/src/stores/contract/selection.ts";
import { execute, startPostgres } from "../packages/collection/test/start-postgres.ts";
import { serverProgram } from "./contestant.ts";
import { madeUpFamilyName, madeUpPeople, madeUpPerson } from "./database.ts";
import type { Rounds } from "./load.ts";
import { spread } from "./many-people.ts";
import { rotate } from "./measure.ts";
import { addedPerson } from "./scenario.ts";
import { processorTime, type ServerProcess, startServer } from "./server-process.ts";
import { type Summary, summarize } from "./summary.ts";

/** What requests of one kind take on PostgreSQL. */
export interface PostgresResult {
  readonly requests: string;
  readonly connections: number;
  readonly ours: Costs;
  readonly bare: Costs;
}

/** The processor time of a request, in microseconds. */
export interface Costs {
  /** Of the process that answers. */
  readonly service: Summary;
  /** Of all processes of PostgreSQL. */
  readonly database: Summary;
}

type Cost = Readonly<Record<keyof Costs, number>>;

export interface PostgresOptions extends Rounds {
  /** How many made-up people are read. */
  readonly records: number;
}

/**
 * Measures the service on a PostgreSQL server that is started for it and writes its commits to the disk: ours beside bare `node:http`
 * and `pg`, with few connections and with many. Both run all the while, and are loaded in turns, so that both are as warm as a busy
 * machine lets them be.
 *
 * @throws Error when a server does not start, a request fails, or the system does not say what processes take
 */
export async function measurePostgres(options: PostgresOptions): Promise<readonly PostgresResult[]> {
  const { rounds, records, warmUp, signal, onProgress } = options;
  const postgres = await startPostgres();
  try {
    onProgress?.(`storing ${records} people`);
    const database = await postgres.createDatabase();
    await fill(database, records);
    const start = (name: string): Promise<ServerProcess> =>
      startServer({ program: serverProgram(name), database, signal });
    await using ours = await start("ours");
    await using bare = await start("bare-postgres");
    const results: PostgresResult[] = [];
    for (const kind of kindsOf(records)) {
      for (const connections of [16, options.connections]) {
        onProgress?.(`${kind.name}, ${connections} connections`);
        const time = (server: ServerProcess, seconds: number): Promise<Cost> =>
          timeRequests(server, postgres.url, kind, { ...options, connections, seconds });
        if (warmUp > 0) for (const server of [ours, bare]) await time(server, warmUp);
        const costs = { ours: [] as Cost[], bare: [] as Cost[] };
        for (let round = 0; round < rounds; round++) {
          for (const name of rotate(["ours", "bare"] as const, round)) {
            costs[name].push(await time(name === "ours" ? ours : bare, options.seconds));
          }
        }
        const { name: requests } = kind;
        results.push({ requests, connections, ours: summaryOf(costs.ours), bare: summaryOf(costs.bare) });
      }
    }
    return results;
  } catch (error) {
    signal.throwIfAborted(); // what the interruption breaks fails in ways of its own
    throw error;
  } finally {
    await postgres.end();
  }
}

async function fill(database: string, records: number): Promise<void> {
  const { people, database: opened } = await openPersonService({ database });
  await people.createAll(madeUpPeople(records));
  await opened.close();
  await execute(database, "VACUUM ANALYZE person"); // as the server does by itself, some minutes later
}

/** GETs of targets, or POSTs of one person. */
interface Kind {
  readonly name: string;
  readonly targets?: readonly string[];
}

/** The kinds of requests to a database of so many people. */
function kindsOf(records: number): readonly Kind[] {
  const toCursor = cursorsOf({ order: defaultOrder });
  const each = spread(records, 1000);
  const filtered = (n: number): string => {
    const { birthDate, givenName } = madeUpPerson(n);
    return `/person?limit=20&givenName=${givenName}&birthDate[ge]=${birthDate}&sort=birthDate`;
  };
  return [
    { name: "one person", targets: each.map((n) => `/person/${n}`) },
    { name: "a page again and again", targets: ["/person?limit=20"] },
    { name: "pages at cursors", targets: each.map((n) => `/person?limit=20&after=${toCursor([n])}`) },
    {
      name: "sorted pages",
      targets: each.map((n) => `/person?limit=20&familyName[ge]=${madeUpFamilyName(n)}&sort=familyName`),
    },
    { name: "filtered and sorted pages", targets: each.map(filtered) },
    { name: "a new person" },
  ];
}

async function timeRequests(
  { url, ...server }: ServerProcess,
  postgres: string,
  { targets }: Kind,
  { loadGenerator, seconds, connections, signal }: Rounds,
): Promise<Cost> {
  const processes = (await execute(postgres, "SELECT pid FROM pg_stat_activity")).map(([pid]) => Number(pid));
  const times = async (): Promise<Cost> => {
    const ofPostgres = await Promise.all(processes.map(processorTime));
    const database = ofPostgres.reduce<number>((sum, time = 0) => sum + time, 0); // some have ended
    return { service: (await server.processorTime()) ?? Number.NaN, database };
  };
  const before = await times();
  const load = { headers: {}, connections, seconds, signal };
  const rate = await loadGenerator.run(
    targets ? { ...load, url, targets } : { ...load, url: `${url}/person`, json: JSON.stringify(addedPerson) },
  );
  const after = await times();
  const perRequest = 1e6 / (rate * seconds);
  return {
    service: (after.service - before.service) * perRequest,
    database: (after.database - before.database) * perRequest,
  };
}

const summaryOf = (costs: readonly Cost[]): Costs => ({
  service: summarize(costs.map(({ service }) => service)),
  database: summarize(costs.map(({ database }) => database)),
});
