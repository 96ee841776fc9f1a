import { copyFile, mkdtempDisposable } from "node:fs/promises";
import { request as askByHttp } from "node:http";
import { request as askByHttps } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Answered, LoadGenerator } from "./load.ts";
import type { Placement } from "./placement.ts";
import type { MadeRequest } from "./requests.ts";
import type { Row, ServerName } from "./rows.ts";
import { type ServerProcess, serverProgram, startServer } from "./server-process.ts";

/** How often and how long each server is loaded. */
export interface Rounds {
  /** At least 1. */
  readonly rounds: number;
  /** How long each load counts; how long it lasts before it counts. Integers. */
  readonly seconds: number;
  readonly warmUp: number;
}

export interface MeasureOptions extends Rounds {
  /** A database file with so many people, which stays as it is. */
  readonly database: string;
  readonly people: number;
  readonly generate: LoadGenerator;
  readonly placement: Placement;
  readonly signal: AbortSignal;
  readonly onProgress?: (step: string) => void;
}

/** One server under a load, once. */
export interface Timing extends Answered {
  /** Requests in a second of the server's own processor time: undefined where the system does not say. */
  readonly requestsPerProcessorSecond: number | undefined;
}

/** What the rounds of a row came to, for each of its servers; the last one is the floor. */
export interface RowResult {
  readonly row: string;
  readonly group: Row["group"];
  readonly servers: readonly { readonly name: ServerName; readonly rounds: readonly Timing[] }[];
}

/**
 * Measures the servers of a row: each time in a fresh process, one at a time, each round another one first.
 *
 * @throws Error when the servers do not answer alike, one does not start, or a request fails under load
 */
export async function measureRow(row: Row, options: MeasureOptions): Promise<RowResult> {
  const { rounds, people, onProgress, signal } = options;
  const requests = row.requests(people);
  try {
    const timings = new Map<ServerName, Timing[]>(row.servers.map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const answers = new Map<ServerName, string>();
      for (const name of rotate(row.servers, round)) {
        onProgress?.(`${row.name}: round ${round + 1} of ${rounds}, ${name}`);
        await withServer(row, name, options, async (server) => {
          if (round === 0) answers.set(name, await answersOf(server.url, row, requests, signal));
          timings.get(name)?.push(await time(server, row, requests, options));
        });
      }
      requireAgreement(row, answers);
    }
    return { row: row.name, group: row.group, servers: [...timings].map(([name, of]) => ({ name, rounds: of })) };
  } catch (error) {
    signal.throwIfAborted(); // what the interruption breaks fails in ways of its own
    throw error;
  }
}

/** Lends a server of the row, on a database of its own where people are stored. */
async function withServer(
  { options, isWritten }: Row,
  name: ServerName,
  { database, placement, signal }: MeasureOptions,
  use: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "person-benchmark-"));
  const file = isWritten ? join(folder.path, "person.db") : database;
  if (isWritten) await copyFile(database, file);
  const more = name === "ours" ? ((await options?.(folder.path)) ?? []) : [];
  await using server = await startServer(serverProgram(name), [file, ...more], { placement, signal });
  await use(server);
}

async function time(
  server: ServerProcess,
  { connections = 64 }: Row,
  requests: readonly MadeRequest[],
  { generate, placement, seconds, warmUp, signal }: MeasureOptions,
): Promise<Timing> {
  const load = { url: server.url, requests, connections, placement, signal };
  // From the other end: what is to be new must not have been asked for a moment before.
  if (warmUp > 0) await generate({ ...load, requests: requests.toReversed(), seconds: warmUp });
  const before = await server.processorTime();
  const answered = await generate({ ...load, seconds });
  const after = await server.processorTime();
  const taken = before === undefined || after === undefined ? undefined : after - before;
  return { ...answered, requestsPerProcessorSecond: taken && (answered.requestsPerSecond * seconds) / taken };
}

/** What a server answers to the first requests of a row: status, Content-Type and content of those that read. */
async function answersOf(
  url: string,
  { group }: Row,
  requests: readonly MadeRequest[],
  signal: AbortSignal,
): Promise<string> {
  const isRead = ({ json }: MadeRequest): boolean => json === undefined;
  const answers: string[] = [];
  for (const request of requests.filter(isRead).slice(0, 12)) {
    answers.push(await answerTo(group === "http2" ? url.replace("http:", "https:") : url, request, signal));
  }
  return answers.join("\n");
}

function answerTo(url: string, { target, fields }: MadeRequest, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { ...fields, "Accept-Encoding": "identity" };
    // The certificate is made for the tests.
    const options = { headers, signal, agent: false as const, rejectUnauthorized: false };
    const ask = url.startsWith("https:") ? askByHttps : askByHttp;
    ask(url + target, options, (response) => {
      const { statusCode, headers: sent } = response;
      buffer(response).then((content) => resolve(`${statusCode} ${sent["content-type"]} ${content}`), reject);
    })
      .on("error", reject)
      .end();
  });
}

/** @throws Error when servers do not do the same work: what was measured of them cannot be compared */
function requireAgreement({ name: row }: Row, answers: ReadonlyMap<ServerName, string>): void {
  const [first, ...others] = answers;
  if (first === undefined) return;
  const [name, answer] = first;
  if (/^(?!200 )\d/m.test(answer)) throw new Error(`${row}: ${name} answers ${answer.slice(0, 80)}`);
  const other = others.find(([, theirs]) => theirs !== answer);
  if (other === undefined) return;
  const at = [...answer].findIndex((character, i) => character !== other[1][i]);
  const [ours, theirs] = [answer, other[1]].map((text) => JSON.stringify(text.slice(Math.max(0, at - 20), at + 60)));
  throw new Error(`${row}: ${name} and ${other[0]} answer differently: ${ours} and ${theirs}`);
}

/** Returns the same values, begun with another one each round. */
export function rotate<T>(values: readonly T[], round: number): readonly T[] {
  const first = round % values.length;
  return [...values.slice(first), ...values.slice(0, first)];
}
