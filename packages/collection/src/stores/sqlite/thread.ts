import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { isSea } from "node:sea";
import { parentPort, Worker } from "node:worker_threads";
import { StoreOutcomeUnknown, StoreUnavailable } from "../../store.ts";
import { type Answer, answerOf, type PendingCall, settle } from "./answer.ts";

/** What runs in a thread. */
interface ThreadProgram {
  /** The file beside this one, without its extension; it calls `answerCalls`. */
  readonly file: "reader-thread" | "writer-thread";
  /** What it is started with. */
  readonly data: unknown;
  /** What the thread does, for those who are told that it does not. */
  readonly task: "reads" | "writes";
  /** The calls that may have been done when the thread has ended before it answered. */
  readonly committing: readonly string[];
}

/**
 * Has calls answered by a thread of its own, so that nobody else waits meanwhile.
 *
 * The thread is started by what is asked first, and again by the next request should it ever end. It keeps the process running only
 * while an answer is due.
 */
export class ThreadChannel<C extends Calls<C>> implements Channel<C> {
  readonly #program: ThreadProgram;
  #thread: Worker | undefined;
  /** What the thread has not answered yet, in the order in which it will. */
  #pending: (PendingCall & { readonly call: string })[] = [];

  constructor(program: ThreadProgram) {
    this.#program = program;
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

  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    thread.ref();
    thread.postMessage("close");
    await ended;
  }

  #start(): Worker {
    const { file, data } = this.#program;
    // Options of the process are not the thread's: with `--input-type`, for one, no thread can run a file.
    const thread = new Worker(programOf(file), { name: file, workerData: data, execArgv: [] });
    let isReady = false;
    let cause: unknown;
    thread.on("message", (message: ThreadMessage) => {
      if (message.kind === "ready") isReady = true;
      else this.#receive(message);
    });
    thread.on("error", (error) => {
      cause = error;
    });
    thread.on("exit", () => {
      this.#thread = undefined;
      const lost = this.#pending;
      this.#pending = [];
      for (const { call, reject } of lost) reject(this.#lossOf(call, isReady, cause));
    });
    return thread;
  }

  #receive(answer: Answer): void {
    const answered = this.#pending.shift();
    if (this.#pending.length === 0) this.#thread?.unref();
    if (answered !== undefined) settle(answered, answer);
  }

  #lossOf(call: string, isReady: boolean, cause: unknown): StoreUnavailable {
    const { task, committing } = this.#program;
    if (!isReady) return new StoreUnavailable(`The thread that ${task} cannot be started`, { cause });
    const Loss = committing.includes(call) ? StoreOutcomeUnknown : StoreUnavailable;
    return new Loss(`The thread that ${task} has ended`, { cause });
  }
}

/** Returns the URL of the program of a thread: the file beside this one, which is .ts in the source and .js where it is built. */
function programOf(file: ThreadProgram["file"]): URL {
  const url = new URL(`./${file}${extname(import.meta.url)}`, import.meta.url);
  // Inside of a single executable, threads see no files: they get the text, which is whole in one file there.
  return isSea() ? new URL(`data:text/javascript,${encodeURIComponent(readFileSync(url, "utf8"))}`) : url;
}

// Part of the programs of threads: what it imports lies beside it or is Node's, so that they run in whatever way the program does
// that starts them.

/** What a thread is told: what to do, or to end. */
type ThreadRequest = "close" | readonly [call: string, ...args: never[]];

/** What a thread says: once that it is ready; then the answer to each request, in their order. */
type ThreadMessage = { readonly kind: "ready" } | Answer;

/** What a thread does beside its answers. */
interface ThreadDuties {
  /** After each answer, which need not wait for it. */
  readonly afterAnswer?: () => void;
  readonly close: () => void;
}

/** Has this thread answer what its ThreadChannel asks for by these calls, until it is told to end. */
export function answerCalls<C extends Calls<C>>(calls: C, { afterAnswer, close }: ThreadDuties): void {
  const say = (message: ThreadMessage): void => parentPort?.postMessage(message);
  parentPort?.on("message", (request: ThreadRequest) => {
    if (request === "close") {
      close();
      parentPort?.close();
      return;
    }
    const [call, ...args] = request;
    // The channel asks for calls that there are, with arguments of theirs.
    say(answerOf(() => calls[call as keyof C](...args)));
    afterAnswer?.();
  });
  say({ kind: "ready" });
}

/** What can be asked for: the methods of an object, by their names. */
type Calls<C> = { readonly [N in keyof C]: (...args: never[]) => unknown };

/** The way to what works over a connection to a database, which does what it is asked for in the order in which it is asked. */
export interface Channel<C extends Calls<C>> {
  /** Whether commits that are asked for while another one is made become one, at the other end. Default: false. */
  readonly joinsCommits?: boolean;
  /**
   * @throws StoreUnavailable (rejects) when it cannot be done
   * @throws StoreOutcomeUnknown (rejects) when it may have been done
   */
  ask<N extends keyof C & string>(call: N, ...args: Parameters<C[N]>): Promise<ReturnType<C[N]>>;
  /** Ends what stands behind it, once all that was asked for is answered. */
  close(): Promise<void>;
}

/** Has the calls made on the thread that asks. */
export function localChannel<C extends Calls<C>>(calls: C): Channel<C> {
  return {
    async ask<N extends keyof C & string>(call: N, ...args: Parameters<C[N]>) {
      return calls[call](...args) as ReturnType<C[N]>; // which is what this call returns
    },
    async close() {},
  };
}
