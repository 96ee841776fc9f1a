import { type Answer, agreedAnswer, askFor } from "./answer.ts";
import type { Contestant } from "./contestant.ts";
import { makeDatabase, type TemporaryDatabase } from "./database.ts";
import { type Footprint, measureFootprints } from "./footprint.ts";
import type { Rounds } from "./load.ts";
import type { Placement } from "./placement.ts";
import { compare, type ScenarioResult, type Timing } from "./result.ts";
import type { Scenario } from "./scenario.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

export interface MeasurementOptions extends Rounds {
  /** The last one is the floor. */
  readonly contestants: readonly Contestant[];
  readonly scenarios: readonly Scenario[];
  readonly placement: Placement;
  /** Where the directory with the database is made. */
  readonly directory: string;
  /** So many made-up people; unless given, those of the demo. */
  readonly records: number | undefined;
  /** How many idle connections are counted for the memory of one. */
  readonly idleConnections: number;
}

/** What all servers came to. */
export interface Measurement {
  readonly results: readonly ScenarioResult[];
  readonly footprints: readonly Footprint[];
}

/**
 * Measures every server in every scenario, and what it takes before there is load: each time in a fresh process, one at a time, and in each round another one
 * first.
 *
 * @throws AnswersDiffer before anything is timed, when the servers do not answer alike
 * @throws Error when a server does not start, or fails under load
 */
export async function measure(options: MeasurementOptions): Promise<Measurement> {
  const database = await makeDatabase(options.directory, options.records);
  try {
    const results: ScenarioResult[] = [];
    for (const scenario of options.scenarios) results.push(await measureScenario(scenario, database, options));
    options.onProgress?.("memory and start");
    const path = `/person/${database.records}`;
    return { results, footprints: await measureFootprints({ ...options, database: database.file, path }) };
  } catch (error) {
    // What the interruption breaks fails in ways of its own.
    options.signal.throwIfAborted();
    throw error;
  } finally {
    await database.remove();
  }
}

async function measureScenario(
  scenario: Scenario,
  database: TemporaryDatabase,
  options: MeasurementOptions,
): Promise<ScenarioResult> {
  const { contestants, rounds, onProgress, placement, signal } = options;
  const { records } = database;
  const path = scenario.path(records);
  const withServer = <T>({ program }: Contestant, use: (server: ServerProcess) => Promise<T>): Promise<T> =>
    useServer(startServer({ program, database: database.file, placement, signal }), use);

  onProgress?.(`${scenario.name}: comparing the answers`);
  const answers = new Map<string, Answer>();
  for (const contestant of contestants) {
    const ask = ({ url }: ServerProcess): Promise<Answer> => askFor(url + path, scenario.headers, signal);
    answers.set(contestant.name, await withServer(contestant, ask));
  }
  const { status, contentType, body } = agreedAnswer(answers, scenario.status);

  const timings = new Map<string, Timing[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of rotate(contestants, round)) {
      onProgress?.(`${scenario.name}: round ${round + 1} of ${rounds}, ${contestant.name}`);
      const tag = scenario.isRepeated ? answers.get(contestant.name)?.entityTag : undefined;
      const headers = { ...scenario.headers, ...(tag !== undefined && { "If-None-Match": tag }) };
      const timing = await withServer(contestant, (server) => timeServer(server, path, headers, options));
      timings.get(contestant.name)?.push(timing);
    }
  }
  return {
    scenario: scenario.name,
    request: `GET ${path}`,
    records,
    answer: { status, contentType, bytes: body.length },
    contestants: compare(timings),
  };
}

async function useServer<T>(starting: Promise<ServerProcess>, use: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await starting;
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

async function timeServer(
  server: ServerProcess,
  path: string,
  headers: Scenario["headers"],
  { loadGenerator, connections, seconds, warmUp, placement, signal }: MeasurementOptions,
): Promise<Timing> {
  const load = { url: server.url + path, headers, connections, placement, signal };
  if (warmUp > 0) await loadGenerator.run({ ...load, seconds: warmUp });
  const before = await server.processorTime();
  const requestsPerSecond = await loadGenerator.run({ ...load, seconds });
  const after = await server.processorTime();
  const busy = before === undefined || after === undefined ? undefined : (after - before) / seconds;
  return { requestsPerSecond, busy };
}

const rotate = <T>(values: readonly T[], by: number): readonly T[] => {
  const first = by % values.length;
  return [...values.slice(first), ...values.slice(0, first)];
};
