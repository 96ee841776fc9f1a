import { isDeepStrictEqual } from "node:util";
import { AnswersDiffer } from "./answer.ts";
import { serverProgram } from "./contestant.ts";
import type { Rounds } from "./load.ts";
import { rotate, timeLoad } from "./measure.ts";
import { type ContestantResult, compare, type Timing } from "./result.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/**
 * Measures a route with variables, query and content declared: ours, and Fastify's with the same schemas compiled by ajv. Each
 * is a fresh process, one at a time, each round another one first.
 *
 * @throws AnswersDiffer before anything is measured
 */
export async function measureDeclared(options: Rounds): Promise<readonly ContestantResult[]> {
  const { rounds, signal, onProgress } = options;
  const withServer = async <T>(name: string, use: (server: ServerProcess) => Promise<T>): Promise<T> => {
    await using server = await startServer({ program: serverProgram(name), database: "", signal });
    return await use(server);
  };
  const names = ["declared", "declared-fastify"];
  onProgress?.("comparing the answers");
  const [ours, theirs] = await Promise.all(names.map((name) => withServer(name, answersOf)));
  if (!isDeepStrictEqual(ours, theirs)) {
    throw new AnswersDiffer(`The servers answer differently: ${JSON.stringify({ ours, theirs })}`);
  }
  const timings = new Map<string, Timing[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of rotate(names, round)) {
      onProgress?.(`round ${round + 1} of ${rounds}: ${name}`);
      timings.get(name)?.push(await withServer(name, (server) => time(server, options)));
    }
  }
  return compare(timings);
}

const target = "/shelf/12/book?most=5&tag=new&tag=red";
const book = { title: "Notes upon the Memoir", pages: 66 };

/** Requests of each kind: one with all inputs, one with the defaults, and one for each input that is wrong. */
const compared: readonly (readonly [target: string, content: unknown])[] = [
  [target, book],
  ["/shelf/1/book?tag=one", { ...book, isbn: "3-16-148410-0" }],
  ["/shelf/0/book", book],
  ["/shelf/12/book?most=101", book],
  [target, { ...book, pages: "many" }],
  [target, { title: "" }],
  [target, { ...book, colour: "red" }],
];

/** The statuses, with the content of those that are no refusal. */
const answersOf = ({ url }: ServerProcess): Promise<readonly (readonly [number, unknown])[]> =>
  Promise.all(
    compared.map(async ([path, content]) => {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(content) });
      const answer: unknown = await response.json();
      return [response.status, response.ok ? answer : undefined] as const;
    }),
  );

function time(server: ServerProcess, options: Rounds): Promise<Timing> {
  const { loadGenerator, connections, signal } = options;
  const load = { url: server.url + target, headers: {}, json: JSON.stringify(book), connections, signal };
  return timeLoad(server, options, async (seconds) => ({
    requestsPerSecond: await loadGenerator.run({ ...load, seconds }),
  }));
}
