import { copyFile, rm } from "node:fs/promises";
import { type Answer, agreedAnswer, askFor } from "./answer.ts";
import type { Contestant } from "./contestant.ts";
import { makeDatabase, type TemporaryDatabase } from "./database.ts";
import type { MixedRequest, MixingLoadGenerator, Rounds } from "./load.ts";
import type { Placement } from "./placement.ts";
import { compare, type ScenarioResult, type Timing } from "./result.ts";
import type { Scenario } from "./scenario.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

export interface MeasurementOptions extends Rounds {
  readonly loadGenerator: MixingLoadGenerator;
  /** The last one is the floor. */
  readonly contestants: readonly Contestant[];
  readonly scenarios: readonly Scenario[];
  readonly placement: Placement;
  /** Where the directory with the database is made. */
  readonly directory: string;
  /** So many made-up people; unless given, those of the demo. */
  readonly records: number | undefined;
}

/**
 * Measures every server in every scenario: each time in a fresh process, one at a time, and in each round another one first.
 *
 * @throws AnswersDiffer before anything is timed, when the servers do not answer alike
 * @throws Error when a server does not start, or fails under load
 */
export async function measure(options: MeasurementOptions): Promise<readonly ScenarioResult[]> {
  await using database = await makeDatabase(options.directory, options.records);
  try {
    const results: ScenarioResult[] = [];
    for (const scenario of options.scenarios) results.push(await measureScenario(scenario, database, options));
    return results;
  } catch (error) {
    // What the interruption breaks fails in ways of its own.
    options.signal.throwIfAborted();
    throw error;
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
  const mix = scenario.mix?.(records);
  const withServer = async <T>(
    { program }: Contestant,
    file: string,
    use: (server: ServerProcess) => Promise<T>,
  ): Promise<T> => {
    await using server = await startServer({ program, database: file, placement, signal });
    return await use(server);
  };

  onProgress?.(`${scenario.name}: comparing the answers`);
  const read = mix?.flatMap(({ target, json }) => (json === undefined ? target : [])) ?? [path];
  const answers = new Map<string, readonly Answer[]>();
  for (const contestant of contestants) {
    const ask = ({ url }: ServerProcess): Promise<readonly Answer[]> =>
      Promise.all(read.map((target) => askFor(url + target, scenario.headers, signal)));
    answers.set(contestant.name, await withServer(contestant, database.file, ask));
  }
  const [first] = read.map((_, i) => {
    // Each was asked for all of them.
    const answersOf = [...answers].map(([name, all]) => [name, all[i] as Answer] as const);
    return agreedAnswer(new Map(answersOf), scenario.status);
  });
  const { status, contentType, body } = first as Answer; // Each scenario reads something.

  const timings = new Map<string, Timing[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of rotate(contestants, round)) {
      onProgress?.(`${scenario.name}: round ${round + 1} of ${rounds}, ${contestant.name}`);
      const tag = scenario.isRepeated ? answers.get(contestant.name)?.[0]?.entityTag : undefined;
      const headers = { ...scenario.headers, ...(tag !== undefined && { "If-None-Match": tag }) };
      const time = (file: string): Promise<Timing> =>
        withServer(contestant, file, (server) => timeServer(server, path, headers, mix, options));
      timings
        .get(contestant.name)
        ?.push(await (mix === undefined ? time(database.file) : withCopy(database.file, time)));
    }
  }
  return {
    scenario: scenario.name,
    request: mix?.map(toWords).join(", ") ?? `GET ${path}`,
    records,
    answer: { status, contentType, bytes: body.length },
    contestants: compare(timings),
  };
}

const toWords = ({ count, target, json }: MixedRequest): string =>
  `${count} × ${json === undefined ? "GET" : "POST"} ${target}`;

/** Lends a copy of the database, which is closed, for a server that changes it. */
export async function withCopy<T>(database: string, use: (copy: string) => Promise<T>): Promise<T> {
  const copy = `${database}-changed`;
  await copyFile(database, copy);
  try {
    return await use(copy);
  } finally {
    for (const end of ["", "-wal", "-shm"]) await rm(copy + end, { force: true });
  }
}

async function timeServer(
  server: ServerProcess,
  path: string,
  headers: Scenario["headers"],
  mix: readonly MixedRequest[] | undefined,
  options: MeasurementOptions,
): Promise<Timing> {
  const { loadGenerator, connections, placement, signal } = options;
  const load = { url: server.url + (mix === undefined ? path : ""), headers, connections, placement, signal };
  return timeLoad(server, options, async (seconds) =>
    mix === undefined
      ? { requestsPerSecond: await loadGenerator.run({ ...load, seconds }) }
      : loadGenerator.runMixed({ ...load, seconds }, mix),
  );
}

/** Times a load that runs for so many seconds, after it has run for as long as warming up takes. */
export async function timeLoad(
  server: ServerProcess,
  { seconds, warmUp }: Pick<Rounds, "seconds" | "warmUp">,
  run: (seconds: number) => Promise<Omit<Timing, "busy">>,
): Promise<Timing> {
  if (warmUp > 0) await run(warmUp);
  const before = await server.processorTime();
  const timing = await run(seconds);
  const after = await server.processorTime();
  const busy = before === undefined || after === undefined ? undefined : (after - before) / seconds;
  return { ...timing, busy };
}

/** Puts another one first in each round. */
export const rotate = <T>(values: readonly T[], by: number): readonly T[] => {
  const first = by % values.length;
  return [...values.slice(first), ...values.slice(0, first)];
};
