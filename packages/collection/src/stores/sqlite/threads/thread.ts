// This file is part of the programs of threads. It imports only relative files and modules of Node.js, so that they run in the same
// ways as the program that starts them.
import { readFileSync } from "node:fs";
import module from "node:module";
import { dirname } from "node:path";
import { parentPort, Worker } from "node:worker_threads";
import type { StoredCollection } from "../../../database.ts";
import { StoreDamaged, StoreHistoryLost, StoreOutcomeUnknown, StoreUnavailable } from "../../contract/errors.ts";
import type { Calls, Channel } from "../connections/channel.ts";

/** The programs of threads, files beside this one that call `answerCalls`, without their extensions. */
const programs: Readonly<Record<ThreadProgram, { readonly task: string; readonly committing: readonly string[] }>> = {
  "reader-thread": { task: "reads", committing: [] },
  // The calls that may have been committed when the thread ends before its answer.
  "committer-thread": { task: "writes", committing: ["commit", "removeSome", "endBulk", "commitTransaction"] },
};

type ThreadProgram = "reader-thread" | "committer-thread";

/** The data with which a thread is started. */
export interface ThreadData {
  /** The absolute path of the file. */
  readonly path: string;
  readonly collections: readonly StoredCollection[];
  /** In milliseconds. */
  readonly busyTimeout: number;
}

/** The data with which the thread is started. */
export interface ReaderThreadData extends ThreadData {
  /** Shared; not 0 when the thread must stop the current read. */
  readonly stop: Int32Array;
}

/**
 * Sends calls to a separate thread, so that nothing else waits for them.
 *
 * The first call starts the thread. If the thread ends, the next call starts it again. The thread keeps the process running only
 * while an answer is due, or its end.
 */
export class ThreadChannel<C extends Calls<C>> implements Channel<C> {
  readonly #program: ThreadProgram;
  readonly #data: ThreadData;
  #thread: Worker | undefined;
  #isReady = false;
  /** The unanswered calls, in the order of their answers. */
  #pending: PendingCall[] = [];
  #isClosing = false;

  constructor(program: ThreadProgram, data: ThreadData) {
    this.#program = program;
    this.#data = data;
  }

  async ask<N extends keyof C & string>(call: N, ...args: Parameters<C[N]>): Promise<ReturnType<C[N]>> {
    const thread = this.#thread ?? this.#start();
    this.#thread = thread;
    thread.postMessage([call, ...args]);
    thread.ref();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.push({ call, resolve, reject });
    return promise as Promise<ReturnType<C[N]>>; // the answer to this call
  }

  /** Whether the calls wait for the start of the thread. */
  get isStarting(): boolean {
    return this.#thread !== undefined && !this.#isReady;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#isClosing = true;
    const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    thread.ref();
    thread.postMessage("close");
    await ended;
  }

  #start(): Worker {
    // The thread does not get the options of the process: with `--input-type`, for example, a thread cannot run a file.
    const thread = new Worker(fileOf(this.#program), {
      name: this.#program,
      workerData: this.#data,
      execArgv: [],
      env: environment(),
      // A quarter of the usual: an import takes less of the processor, and 30 MiB less memory.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
    });
    this.#isReady = false;
    let cause: unknown;
    thread.on("message", (message: ThreadMessage) => {
      if (message.kind === "ready") this.#isReady = true;
      else this.#receive(message);
    });
    thread.on("error", (error) => {
      cause = error;
    });
    thread.on("exit", () => {
      this.#thread = undefined;
      this.#isClosing = false;
      const lost = this.#pending;
      this.#pending = [];
      for (const { call, reject } of lost) reject(this.#lossOf(call, cause));
    });
    return thread;
  }

  #receive(answer: Answer): void {
    const answered = this.#pending.shift();
    if (this.#pending.length === 0 && !this.#isClosing) this.#thread?.unref();
    if (answered === undefined) return;
    const { resolve, reject } = answered;
    if (answer.kind === "done") resolve(answer.result);
    else if (answer.kind === "failed") reject(answer.error);
    else reject(new faults[answer.kind](answer.reason, { cause: answer.cause }));
  }

  #lossOf(call: string, cause: unknown): StoreUnavailable {
    const { task, committing } = programs[this.#program];
    if (!this.#isReady) return new StoreUnavailable(`The thread that ${task} cannot be started`, { cause });
    const Loss = committing.includes(call) ? StoreOutcomeUnknown : StoreUnavailable;
    return new Loss(`The thread that ${task} has ended`, { cause });
  }
}

/** A call that waits for its answer. */
interface PendingCall {
  readonly call: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns the URL of the program of a thread: the file beside this one, which is .ts in the source and .js where it is built. */
function fileOf(program: ThreadProgram): URL {
  const url = new URL(`./${program}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
  // In a single executable, threads cannot read the files of the program. They get the text, which is complete in one file there.
  return isSingleExecutable() ? new URL(`data:text/javascript,${encodeURIComponent(readFileSync(url, "utf8"))}`) : url;
}

/**
 * Returns the environment of a thread, which keeps its compiled code where the program does: from source, a thread then starts in
 * 125 ms of processor time instead of 440.
 */
function environment(): NodeJS.ProcessEnv {
  const folder = module.getCompileCacheDir?.(); // has the code of this version of Node.js, and Bun has none
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

/** A message to a thread: a call, or the request to end. */
type ThreadRequest = "close" | readonly [call: string, ...args: never[]];

/** A message from a thread: first `ready`, then the answer to each call, in the order of the calls. */
type ThreadMessage = { readonly kind: "ready" } | Answer;

/**
 * The answer to a call, as sent between threads. The class of an error is lost on the way, so that `kind` names it: every
 * StoreUnavailable of another name becomes one of that class.
 */
type Answer =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: FaultName; readonly reason: string; readonly cause: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

type FaultName = "StoreUnavailable" | "StoreOutcomeUnknown" | "StoreHistoryLost" | "StoreDamaged";

const faults: Readonly<Record<FaultName, typeof StoreUnavailable>> = {
  StoreUnavailable,
  StoreOutcomeUnknown,
  StoreHistoryLost,
  StoreDamaged,
};

const isFaultName = (name: string): name is FaultName => Object.hasOwn(faults, name);

/** The functions that a thread calls in addition to those that are requested. */
interface ThreadDuties {
  /** Called after each answer, which does not wait for it. */
  readonly afterAnswer?: () => void;
  readonly close: () => void;
}

/** Answers the calls of this thread's ThreadChannel, until the channel is closed. */
export function answerCalls<C extends Calls<C>>(calls: C, { afterAnswer, close }: ThreadDuties): void {
  const say = (message: ThreadMessage): void => parentPort?.postMessage(message);
  parentPort?.on("message", (request: ThreadRequest) => {
    if (request === "close") {
      close();
      parentPort?.close();
      return;
    }
    const [call, ...args] = request;
    // The channel sends only existing calls, with their arguments.
    say(answerOf(() => calls[call as keyof C](...args)));
    afterAnswer?.();
  });
  say({ kind: "ready" });
}

/** Makes the call, and returns its result or its error as an answer. */
function answerOf(call: () => unknown): Answer {
  try {
    return { kind: "done", result: call() };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) return { kind: "failed", error };
    const { name, message: reason, cause } = error;
    return { kind: isFaultName(name) ? name : "StoreUnavailable", reason, cause };
  }
}

/** Whether the program is a single executable of Node.js, which has no files; false on runtimes without them, such as Bun. */
const isSingleExecutable = (): boolean => {
  const sea: typeof import("node:sea") | undefined = process.getBuiltinModule("node:sea");
  return sea?.isSea() === true;
};
