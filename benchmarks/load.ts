import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Placement } from "./placement.ts";
import { versionOf } from "./versions.ts";

/** What is asked of a load generator: the same request again and again, each connection waiting for its answer. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Is sent by POST when it is given; else the requests are GETs. */
  readonly json?: string;
  /** Kept alive throughout. */
  readonly connections: number;
  readonly seconds: number;
  readonly placement: Placement;
  readonly signal: AbortSignal;
}

/** A program that puts load on a server, in a process of its own. */
export interface LoadGenerator {
  readonly name: LoadGeneratorName;
  readonly version: string;
  /**
   * The requests that were answered in a second.
   *
   * @throws Error when any request failed, or was answered with another status than 2xx
   */
  run(load: Load): Promise<number>;
}

export const loadGeneratorNames = ["wrk", "autocannon"] as const;

export type LoadGeneratorName = (typeof loadGeneratorNames)[number];

/**
 * The load generator of this name; unless one is named, wrk, which costs less than any server, or else autocannon.
 *
 * @throws Error when it is wrk, and there is none
 */
export async function findLoadGenerator(name: LoadGeneratorName | undefined): Promise<LoadGenerator> {
  const wrkVersion = name === "autocannon" ? undefined : await findWrk();
  if (wrkVersion !== undefined) return { name: "wrk", version: wrkVersion, run: runWrk };
  if (name === "wrk") throw new Error("There is no wrk on the PATH; install it, or give --load autocannon");
  return { name: "autocannon", version: await versionOf("autocannon"), run: runAutocannon };
}

async function findWrk(): Promise<string | undefined> {
  // Asked for its version, wrk ends with 1.
  const said = await run("wrk", ["--version"]).catch((error: { readonly stdout?: string }) => error);
  return /^wrk (\S+)/.exec(said.stdout ?? "")?.[1];
}

async function runWrk(load: Load): Promise<number> {
  const { url, headers, json, connections, seconds, placement, signal } = load;
  if (!Number.isInteger(seconds)) throw new RangeError(`wrk runs for whole seconds, not ${seconds}`);
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const [command, args] = placement.place("load", "wrk", [
    ...["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`, "--timeout", "10s"],
    ...fields,
    ...(json === undefined ? [url] : ["--script", postScript, url, "--", json]),
  ]);
  const { stdout } = await run(command, args, { signal });
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(stdout)?.[1];
  // wrk leaves these lines out when there is nothing to tell.
  const failure = /^\s*(?:Socket errors|Non-2xx or 3xx responses):.*$/m.exec(stdout)?.[0];
  if (rate === undefined || failure !== undefined) throw new Error(`wrk at ${url}: ${(failure ?? stdout).trim()}`);
  return Number(rate);
}

const postScript = fileURLToPath(new URL("post.lua", import.meta.url));

async function runAutocannon(load: Load): Promise<number> {
  const { url, headers, json, connections, seconds, placement, signal } = load;
  const fields = Object.entries(headers).flatMap(([name, value]) => ["--headers", `${name}=${value}`]);
  const [command, args] = placement.place("load", process.execPath, [
    fileURLToPath(import.meta.resolve("autocannon")),
    ...["--json", "--no-progress", "--connections", String(connections), "--duration", String(seconds)],
    ...fields,
    ...(json === undefined ? [] : ["--method", "POST", "--headers", "Content-Type=application/json", "--body", json]),
    url,
  ]);
  const { stdout } = await run(command, args, { signal });
  const result: AutocannonResult = JSON.parse(stdout);
  const { duration, errors, timeouts, non2xx } = result;
  if (errors + timeouts + non2xx > 0) {
    throw new Error(`autocannon at ${url}: ${errors} errors, ${timeouts} timeouts, ${non2xx} answers other than 2xx`);
  }
  return result["2xx"] / duration;
}

/** What is read of autocannon's result; the duration is in seconds. */
interface AutocannonResult {
  readonly duration: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly non2xx: number;
  readonly "2xx": number;
}

const run = promisify(execFile);
