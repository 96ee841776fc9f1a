import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Placement } from "./placement.ts";
import type { MadeRequest } from "./requests.ts";

/** Requests that are sent one after another over connections that are kept, each of which waits for its answer. */
export interface Load {
  /** The server: `http://127.0.0.1:40123` */
  readonly url: string;
  /** Sent in turn; at least one. */
  readonly requests: readonly MadeRequest[];
  readonly connections: number;
  /** An integer. */
  readonly seconds: number;
  readonly placement: Placement;
  readonly signal: AbortSignal;
}

/** What a load came to. */
export interface Answered {
  readonly requestsPerSecond: number;
  /** The milliseconds within which 99 of 100 requests were answered; undefined where the generator does not say. */
  readonly p99: number | undefined;
}

/** Puts load on a server; rejects when a request failed, or was answered with a status other than 2xx and 3xx. */
export type LoadGenerator = (load: Load) => Promise<Answered>;

/** Sends the load by `wrk`, which takes less of a processor than any server. */
export const byWrk: LoadGenerator = async ({ url, requests, connections, seconds, placement, signal }) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "requests-"));
  const file = join(folder.path, "requests");
  await writeFile(file, requests.map((request) => toText(request, new URL(url).host)).join("\0"), "latin1");
  const script = fileURLToPath(new URL("requests.lua", import.meta.url));
  const bounds = ["--threads", "1", "--connections", `${connections}`, "--duration", `${seconds}s`, "--timeout", "10s"];
  const [command, args] = placement.place("load", "wrk", [...bounds, "--latency", "--script", script, url, "--", file]);
  const { stdout } = await run(command, args, { signal });
  const rate = /^Requests\/sec:\s+([\d.]+)$/m.exec(stdout)?.[1];
  // These lines are missing when there is nothing to report.
  const failure = /^\s*(?:Socket errors|Non-2xx or 3xx responses):.*$/m.exec(stdout)?.[0];
  if (rate === undefined || failure !== undefined) throw new Error(`wrk at ${url}: ${(failure ?? stdout).trim()}`);
  const [, value, unit = ""] = /^\s+99%\s+([\d.]+)(us|ms|s|m)$/m.exec(stdout) ?? [];
  return { requestsPerSecond: Number(rate), p99: Number(value) * (millisecondsOf[unit] ?? Number.NaN) };
};

/** Sends the load by `h2load`, over HTTP/2 with TLS: GETs with the fields of the first request. */
export const byH2load: LoadGenerator = async ({ url, requests, connections, seconds, placement, signal }) => {
  const { target, fields } = requests[0] as MadeRequest; // there is one
  const headers = Object.entries(fields).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const bounds = ["-t1", `-c${connections / 8}`, "-m8", `-D${seconds}`];
  const address = url.replace("http:", "https:") + target;
  const [command, args] = placement.place("load", "h2load", [...bounds, ...headers, address]);
  const { stdout } = await run(command, args, { signal });
  const done = /(\d+) done, (\d+) succeeded/.exec(stdout);
  if (done === null || Number(done[1]) === 0) throw new Error(`h2load at ${address}: ${stdout.trim()}`);
  // What was in hand when the time was over is not done; what is done has to have succeeded.
  if (done[1] !== done[2]) throw new Error(`h2load at ${address}: ${done[0]}`);
  return { requestsPerSecond: Number(done[1]) / seconds, p99: undefined };
};

/** Returns whether a program can be started. */
export const isInstalled = async (program: string): Promise<boolean> =>
  run(program, ["--version"]).then(
    () => true,
    // Asked for its version, wrk ends with 1.
    (error: { readonly code?: unknown }) => typeof error.code === "number",
  );

function toText({ target, fields, json }: MadeRequest, host: string): string {
  const content = json === undefined ? {} : { "Content-Type": "application/json", "Content-Length": `${json.length}` };
  const lines = Object.entries({ Host: host, ...fields, ...content }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${json === undefined ? "GET" : "POST"} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${json ?? ""}`;
}

const millisecondsOf: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

const run = promisify(execFile);
