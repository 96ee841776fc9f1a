import { isDeepStrictEqual } from "node:util";
import { AnswersDiffer } from "./answer.ts";
import { serverProgram } from "./contestant.ts";
import type { Load, Rounds } from "./load.ts";
import { useServer } from "./measure.ts";
import { type ServerProcess, startServer } from "./server-process.ts";
import { type Summary, summarize } from "./summary.ts";
import { anywhere } from "./writes.ts";

/** What a server answers whose route declares path variables, query and content. */
export interface DeclaredResult {
  readonly name: string;
  readonly requestsPerSecond: Summary;
  /** For each second of the server's processor time, which other programs hardly change. */
  readonly requestsPerProcessorSecond: Summary;
}

/**
 * Measures a route with variables, query and content declared: ours, and Fastify's with the same schemas compiled by ajv. Each
 * is a fresh process, one at a time, each round another one first.
 *
 * @throws AnswersDiffer before anything is measured
 */
export async function measureDeclared(options: Rounds): Promise<readonly DeclaredResult[]> {
  const { rounds, signal, onProgress } = options;
  const withServer = <T>(name: string, use: (server: ServerProcess) => Promise<T>): Promise<T> =>
    useServer(startServer({ program: serverProgram(name), database: "", placement: anywhere, signal }), use);
  const contestants = ["declared", "declared-fastify"].map((name) => ({ name, rates: [] as Rates[] }));
  onProgress?.("comparing the answers");
  const [ours, theirs] = await Promise.all(contestants.map(({ name }) => withServer(name, answersOf)));
  if (!isDeepStrictEqual(ours, theirs)) {
    throw new AnswersDiffer(`The servers answer differently: ${JSON.stringify({ ours, theirs })}`);
  }
  for (let round = 0; round < rounds; round++) {
    for (const { name, rates } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      onProgress?.(`round ${round + 1} of ${rounds}: ${name}`);
      rates.push(await withServer(name, (server) => time(server, options)));
    }
  }
  return contestants.map(({ name, rates }) => ({
    name,
    requestsPerSecond: summarize(rates.map(({ perSecond }) => perSecond)),
    requestsPerProcessorSecond: summarize(rates.map(({ perProcessorSecond }) => perProcessorSecond)),
  }));
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

interface Rates {
  readonly perSecond: number;
  readonly perProcessorSecond: number;
}

async function time(
  server: ServerProcess,
  { loadGenerator, connections, seconds, warmUp, signal }: Rounds,
): Promise<Rates> {
  const json = JSON.stringify(book);
  const load: Load = { url: server.url + target, headers: {}, json, connections, seconds, signal, placement: anywhere };
  if (warmUp > 0) await loadGenerator.run({ ...load, seconds: warmUp });
  const before = await server.processorTime();
  const perSecond = await loadGenerator.run(load);
  const after = await server.processorTime();
  // Where the system does not say, the server is taken to be busy throughout.
  const busy = before === undefined || after === undefined ? seconds : after - before;
  return { perSecond, perProcessorSecond: (perSecond * seconds) / busy };
}
