import { spawn } from "node:child_process";
import { on } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { programArguments, runtime } from "./program-arguments.ts";

/** How a process ended, and all that it printed. */
export interface Exit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stdout: string;
  /** Without the log. */
  readonly stderr: string;
  readonly log: readonly LogEntry[];
}

/** An entry of the log. */
export interface LogEntry {
  readonly level: string;
  readonly event: string;
  readonly msg?: string;
  readonly [member: string]: unknown;
}

/** A person-service that listens, in a process of its own; killed when its scope ends. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  readonly exited: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
  /** What it printed on standard output so far. */
  readonly printed: string;
  /** Resolves once what it printed, on either stream, has the text in it. */
  untilPrinted(text: RegExp): Promise<void>;
}

/** Runs the program to its end; should it begin to listen, which has none, it is killed. */
export function runProgram(...args: readonly string[]): Promise<Exit> {
  return runProgramBy([], ...args);
}

/** The same, of a shell, as of `startServiceBy`. */
export function runProgramBy(shell: readonly string[], ...args: readonly string[]): Promise<Exit> {
  const { child, exited } = launch(args, [], shell);
  whenListening(child.stdout, () => child.kill("SIGKILL"));
  return exited;
}

/** A program that runs, in a process of its own. */
export type ProgramProcess = Pick<ServiceProcess, "exited" | "kill" | "untilPrinted">;

/** Starts the program, and waits for nothing. */
export function startProgram(...args: readonly string[]): ProgramProcess {
  const { child, exited } = launch(args);
  return { exited, kill: (signal) => child.kill(signal), untilPrinted: (text) => untilPrintedBy(child, text) };
}

/**
 * Starts the program on a port that the system chooses, and waits until it says where it listens.
 *
 * @throws Error with what the program said when it ended instead
 */
export async function startService(...args: readonly string[]): Promise<ServiceProcess> {
  return startServiceWith([], ...args);
}

/** The same, with options of Node's. */
export function startServiceWith(nodeOptions: readonly string[], ...args: readonly string[]): Promise<ServiceProcess> {
  return listening(launch(["--port", "0", ...args], nodeOptions, []));
}

/** The same, of another command than that of the tests, as `node` and the file of an installed program. */
export function startServiceOf(command: readonly string[], ...args: readonly string[]): Promise<ServiceProcess> {
  return listening(launch(["--port", "0", ...args], [], [], command));
}

/** Node's options for a small heap: what is not garbage must fit, and little garbage is kept, so that what is resident says something. */
export const smallHeap: readonly string[] = ["--max-old-space-size=96", "--max-semi-space-size=4"];

/** The same, of a shell whose last argument is a script that executes what it is given: `exec "$0" "$@"`. */
export function startServiceBy(shell: readonly string[], ...args: readonly string[]): Promise<ServiceProcess> {
  return listening(launch(["--port", "0", ...args], [], shell));
}

async function listening({ child, exited }: ReturnType<typeof launch>): Promise<ServiceProcess> {
  const printed = collect(child.stdout);
  const printedUrl = new Promise<string>((resolve) => whenListening(child.stdout, resolve));
  const ended = exited.then(({ stderr, signal }): never => {
    throw new Error(`The service did not start: ${signal ?? stderr}`);
  });
  const url = await Promise.race([printedUrl, ended]);
  ended.catch(() => undefined); // how it ends later is for others to judge
  return {
    pid: child.pid as number, // it runs
    url,
    port: Number(new URL(url).port),
    exited,
    kill: (signal) => child.kill(signal),
    get printed() {
      return printed();
    },
    untilPrinted: (text) => untilPrintedBy(child, text),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Returns a function that returns what was printed so far. */
function collect(stdout: Readable): () => string {
  let printed = "";
  stdout.on("data", (piece: Buffer) => {
    printed += piece;
  });
  return () => printed;
}

/** Calls back with the URL, once it is printed. */
function whenListening(stdout: Readable, done: (url: string) => void): void {
  let printed = "";
  const onData = (piece: Buffer): void => {
    printed += piece;
    const url = /^listening on (https?:\S+)\n/m.exec(printed)?.[1];
    if (url === undefined) return;
    stdout.off("data", onData);
    done(url);
  };
  stdout.on("data", onData);
}

/** Resolves once what is printed from now on, on either stream, has the text in it; rejects when both end before. */
function untilPrintedBy({ stdout, stderr }: ReturnType<typeof launch>["child"], text: RegExp): Promise<void> {
  const over = new AbortController();
  return Promise.any([stdout, stderr].map((stream) => untilPrinted(stream, text, over.signal))).finally(() =>
    over.abort(),
  );
}

async function untilPrinted(stream: Readable, text: RegExp, signal: AbortSignal): Promise<void> {
  let printed = "";
  for await (const [piece] of on(stream, "data", { close: ["end"], signal })) {
    printed += piece;
    if (text.test(printed)) return;
  }
  throw new Error(`It printed ${JSON.stringify(printed)}`);
}

function launch(
  given: readonly string[],
  nodeOptions: readonly string[] = [],
  shell: readonly string[] = [],
  program: readonly string[] = [runtime, ...nodeOptions, ...programArguments],
) {
  const { args, database } = withoutPassword(given);
  const [command = "", ...rest] = [...shell, ...program, ...args];
  // Options of Node's are for measuring memory, and with the compile cache of the tests Node 24 keeps up to 60 MB more.
  const cache = nodeOptions.length > 0 ? { NODE_DISABLE_COMPILE_CACHE: "1" } : {};
  const env = { ...patient, ...process.env, ...cache, ...database };
  const child = spawn(command, rest, { env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<Pick<Exit, "code" | "signal">>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  const exited = Promise.all([ended, text(child.stdout), text(child.stderr)]).then(
    ([end, stdout, printed]): Exit => ({ ...end, stdout, ...withoutLog(printed) }),
  );
  return { child, exited };
}

/** A service does not turn requests away because other programs keep the processor from it: they are answered later. */
const patient: NodeJS.ProcessEnv = { PERSON_SERVICE_MAX_DELAY: "60000" };

/** Takes the lines of the log out of what was printed on standard error. */
function withoutLog(printed: string): Pick<Exit, "stderr" | "log"> {
  const isEntry = (line: string): boolean => line.startsWith('{"level":');
  const lines = printed.split("\n");
  const log = lines.filter(isEntry).map((line): LogEntry => JSON.parse(line));
  return { stderr: lines.filter((line) => !isEntry(line)).join("\n"), log };
}

/** Moves the address of a PostgreSQL database, which has a password, to the environment of a service that is to listen. */
function withoutPassword(args: readonly string[]) {
  const at = args.indexOf("--database");
  const address = args[at + 1] ?? "";
  if (args[0] !== "--port" || at < 0 || !address.startsWith("postgres://")) return { args, database: {} };
  return { args: args.toSpliced(at, 2), database: { PERSON_SERVICE_DATABASE: address } };
}
