import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { anywhere, type Placement } from "./placement.ts";
import { versionOf } from "./versions.ts";

/** What is asked of a load generator: requests one after another, each connection waiting for its answer. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Is sent by POST when it is given; else the requests are GETs. */
  readonly json?: string;
  /** Asked for by GETs in turn, at least one, such as `/person/1`; otherwise it is the URL again and again. */
  readonly targets?: readonly string[];
  /** Kept alive throughout. */
  readonly connections: number;
  readonly seconds: number;
  /** Default: anywhere. */
  readonly placement?: Placement;
  readonly signal: AbortSignal;
}

/** How the figures of a measurement are taken: each in every round, by load that lasts for seconds. */
export interface Rounds {
  readonly loadGenerator: LoadGenerator;
  /** At least 1. */
  readonly rounds: number;
  /** How long each figure is measured in a round. */
  readonly seconds: number;
  /** How long the same load lasts before that, in seconds. */
  readonly warmUp: number;
  /** Kept alive under load. */
  readonly connections: number;
  /** Ends the measurement early: it rejects with the reason of the signal. */
  readonly signal: AbortSignal;
  /** Is called with what is about to be done. */
  readonly onProgress?: (step: string) => void;
}

/** A program that puts load on a server, in a process of its own. */
export interface LoadGenerator {
  readonly name: LoadGeneratorName;
  readonly version: string;
  /**
   * The requests that were answered in a second.
   *
   * @throws Error when any request failed, or was answered with a status other than 2xx and 3xx
   */
  run(load: Load): Promise<number>;
}

/** One kind of request in a mixed load. */
export interface MixedRequest {
  /** How often it is sent in a cycle, over which the kinds are spread. */
  readonly count: number;
  /** `/person/1` */
  readonly target: string;
  /** Is sent by POST when it is given; else the request is a GET. */
  readonly json?: string;
}

export interface MixedTiming {
  readonly requestsPerSecond: number;
  /** The milliseconds within which 99 of 100 requests were answered. */
  readonly p99: number;
}

/** A load generator that can send several kinds of requests. */
export interface MixingLoadGenerator extends LoadGenerator {
  /** Sends these requests to the server of the load's URL; throws as `run` does. */
  runMixed(load: Load, requests: readonly MixedRequest[]): Promise<MixedTiming>;
}

export const loadGeneratorNames = ["wrk", "autocannon"] as const;

export type LoadGeneratorName = (typeof loadGeneratorNames)[number];

/**
 * The load generator of this name; unless one is named, wrk, which costs less than any server, or else autocannon.
 *
 * @throws Error when it is wrk, which is not installed
 */
export async function findLoadGenerator(name: LoadGeneratorName | undefined): Promise<MixingLoadGenerator> {
  const wrkVersion = name === "autocannon" ? undefined : await findWrk();
  if (wrkVersion !== undefined) return { name: "wrk", version: wrkVersion, run: runWrk, runMixed: runWrkMixed };
  if (name === "wrk") throw new Error("There is no wrk on the PATH; install it, or give --load autocannon");
  return {
    name: "autocannon",
    version: await versionOf("autocannon"),
    run: runAutocannon,
    runMixed: runAutocannonMixed,
  };
}

async function findWrk(): Promise<string | undefined> {
  // Asked for its version, wrk ends with 1.
  const said = await run("wrk", ["--version"]).catch((error: { readonly stdout?: string }) => error);
  return /^wrk (\S+)/.exec(said.stdout ?? "")?.[1];
}

async function runWrk(load: Load): Promise<number> {
  const { url, json, targets } = load;
  const script =
    targets !== undefined
      ? ["--script", scripts.targets, url, "--", ...targets]
      : json !== undefined
        ? ["--script", scripts.post, url, "--", json]
        : [url];
  return rateOf(url, await runWrkWith(load, script));
}

async function runWrkMixed(load: Load, requests: readonly MixedRequest[]): Promise<MixedTiming> {
  const { url } = load;
  const kinds = requests.flatMap(({ count, target, json = "" }) => [String(count), target, json]);
  const said = await runWrkWith(load, ["--latency", "--script", scripts.mixed, url, "--", ...kinds]);
  const [, value, unit = ""] = /^\s+99%\s+([\d.]+)(us|ms|s|m)$/m.exec(said) ?? [];
  const milliseconds = { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit];
  if (milliseconds === undefined) throw new Error(`wrk at ${url} does not say how long requests took: ${said}`);
  return { requestsPerSecond: rateOf(url, said), p99: Number(value) * milliseconds };
}

/** Returns what wrk prints. */
async function runWrkWith(load: Load, script: readonly string[]): Promise<string> {
  const { headers, connections, seconds, placement = anywhere, signal } = load;
  if (!Number.isInteger(seconds)) throw new RangeError(`wrk runs for whole seconds, not ${seconds}`);
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const [command, args] = placement.place("load", "wrk", [
    ...["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`, "--timeout", "10s"],
    ...fields,
    ...script,
  ]);
  return (await run(command, args, { signal })).stdout;
}

/** @throws Error when a request failed */
function rateOf(url: string, stdout: string): number {
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(stdout)?.[1];
  // wrk leaves these lines out when there is nothing to report.
  const failure = /^\s*(?:Socket errors|Non-2xx or 3xx responses):.*$/m.exec(stdout)?.[0];
  if (rate === undefined || failure !== undefined) throw new Error(`wrk at ${url}: ${(failure ?? stdout).trim()}`);
  return Number(rate);
}

const scripts = {
  post: fileURLToPath(new URL("post.lua", import.meta.url)),
  targets: fileURLToPath(new URL("targets.lua", import.meta.url)),
  mixed: fileURLToPath(new URL("mixed.lua", import.meta.url)),
} as const;

async function runAutocannon(load: Load): Promise<number> {
  const requests = load.targets?.map((target) => ({ count: 1, target }));
  const timing = requests === undefined ? runAutocannonWith(load, []) : runAutocannonMixed(load, requests);
  return (await timing).requestsPerSecond;
}

async function runAutocannonMixed(load: Load, requests: readonly MixedRequest[]): Promise<MixedTiming> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "autocannon-"));
  const archive = join(directory.path, "targets.har");
  await writeFile(archive, JSON.stringify(toHttpArchive(load, requests)));
  return await runAutocannonWith(load, ["--har", archive]);
}

/** The form in which autocannon takes several requests; they have their own fields. */
function toHttpArchive({ url, headers }: Load, requests: readonly MixedRequest[]): object {
  const toEntry = ({ target, json }: MixedRequest): object => {
    const all = { ...headers, ...(json !== undefined && { "Content-Type": "application/json" }) };
    const fields = Object.entries(all).map(([name, value]) => ({ name, value }));
    const whole = { url: new URL(target, url).href, headers: fields };
    if (json === undefined) return { request: { ...whole, method: "GET" } };
    return { request: { ...whole, method: "POST", postData: { mimeType: "application/json", text: json } } };
  };
  const spread = requests.flatMap((each) => {
    const entry = toEntry(each);
    return Array.from({ length: each.count }, (_, n) => ({ place: (n + 0.5) / each.count, entry }));
  });
  return { log: { entries: spread.sort((a, b) => a.place - b.place).map(({ entry }) => entry) } };
}

async function runAutocannonWith(load: Load, more: readonly string[]): Promise<MixedTiming> {
  const { url, headers, json, connections, seconds, placement = anywhere, signal } = load;
  const fields = Object.entries(headers).flatMap(([name, value]) => ["--headers", `${name}=${value}`]);
  const [command, args] = placement.place("load", process.execPath, [
    fileURLToPath(import.meta.resolve("autocannon")),
    ...["--json", "--no-progress", "--connections", String(connections), "--duration", String(seconds)],
    ...fields,
    ...(json === undefined ? [] : ["--method", "POST", "--headers", "Content-Type=application/json", "--body", json]),
    ...more,
    url,
  ]);
  const { stdout } = await run(command, args, { signal });
  const result: AutocannonResult = JSON.parse(stdout);
  const { duration, errors, timeouts, non2xx, latency } = result;
  const refused = non2xx - result["3xx"];
  if (errors + timeouts + refused > 0) {
    throw new Error(
      `autocannon at ${url}: ${errors} errors, ${timeouts} timeouts, ${refused} answers other than 2xx and 3xx`,
    );
  }
  return { requestsPerSecond: (result["2xx"] + result["3xx"]) / duration, p99: latency.p99 };
}

/** What is read of autocannon's result; the duration is in seconds. */
interface AutocannonResult {
  readonly duration: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly non2xx: number;
  readonly "2xx": number;
  readonly "3xx": number;
  /** In milliseconds. */
  readonly latency: { readonly p99: number };
}

const run = promisify(execFile);
