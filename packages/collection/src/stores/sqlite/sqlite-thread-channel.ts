import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreOutcomeUnknown, StoreUnavailable } from "../../store.ts";
import type { CallArguments, CallResult, WriterCall, WriterChannel } from "./sqlite-writer-channel.ts";
import type { WriterMessage, WriterThreadData } from "./sqlite-writer-thread.ts";

/**
 * Has the transactions made in a thread of its own, so that nobody who reads waits for the disk.
 *
 * The thread is started by what is asked first, and again by the next request should it ever end. It keeps the process running only
 * while an answer is due.
 */
export class ThreadChannel implements WriterChannel {
  readonly #data: WriterThreadData;
  #thread: Worker | undefined;
  /** What the thread has not answered yet, in the order in which it will. */
  #pending: PendingAnswer[] = [];

  constructor(data: WriterThreadData) {
    this.#data = data;
  }

  async ask<C extends WriterCall>(call: C, ...args: CallArguments<C>): Promise<CallResult<C>> {
    const thread = this.#thread ?? this.#start();
    this.#thread = thread;
    post(thread, [call, ...args]);
    thread.ref();
    const { promise, resolve, reject } = Promise.withResolvers<CallResult<WriterCall>>();
    this.#pending.push({ call, resolve, reject });
    return promise as Promise<CallResult<C>>; // the answer to this call
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    thread.ref();
    post(thread, "close");
    await ended;
  }

  #start(): Worker {
    // From source the file is .ts, and built it is .js, as this one is.
    const program = new URL(`./sqlite-writer-thread${extname(import.meta.url)}`, import.meta.url);
    // Options of the process are not the thread's: with `--input-type`, for one, no thread can run a file.
    const thread = new Worker(program, { name: "sqlite-writer", workerData: this.#data, execArgv: [] });
    let isReady = false;
    let cause: unknown;
    thread.on("message", (message: WriterMessage) => {
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
      for (const { call, reject } of lost) reject(lossOf(call, isReady, cause));
    });
    return thread;
  }

  #receive(message: Exclude<WriterMessage, { readonly kind: "ready" }>): void {
    const answered = this.#pending.shift();
    if (this.#pending.length === 0) this.#thread?.unref();
    switch (message.kind) {
      case "done":
        answered?.resolve(message.result);
        break;
      case "unavailable":
        answered?.reject(new StoreUnavailable(message.reason, { cause: message.cause }));
        break;
      case "unknown":
        answered?.reject(new StoreOutcomeUnknown(message.reason, { cause: message.cause }));
        break;
      case "failed":
        answered?.reject(message.error);
    }
  }
}

interface PendingAnswer {
  readonly call: WriterCall;
  readonly resolve: (result: CallResult<WriterCall>) => void;
  readonly reject: (error: unknown) => void;
}

/** Only what commits can have been done when the thread ends before it answers. */
function lossOf(call: WriterCall, isReady: boolean, cause: unknown): StoreUnavailable {
  if (!isReady) return new StoreUnavailable("The thread that writes cannot be started", { cause });
  const mayBeDone = call === "commit" || call === "endLoad";
  return new (mayBeDone ? StoreOutcomeUnknown : StoreUnavailable)("The thread that writes has ended", { cause });
}

/** What is posted is a WriterRequest, which the compiler cannot tell of a call that is a parameter. */
function post(thread: Worker, request: "close" | readonly [WriterCall, ...unknown[]]): void {
  thread.postMessage(request);
}
