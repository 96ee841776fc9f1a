import { resolve } from "node:path";
import type { MessageLink } from "../../../database.ts";
import type { CommonWriter, WriterOptions } from "../../../database-kind.ts";
import { StoreUnavailable } from "../../contract/errors.ts";
import { reportedCommit } from "../../contract/observer.ts";
import { toStoredCollections } from "../../table/definition.ts";
import { type Answer, type Channel, toAnswer } from "../connections/channel.ts";
import type { CommitterCalls, CommitterThreadCalls } from "../writing/committer-channel.ts";
import { BatchQueue } from "../writing/writer.ts";
import type { CommitterRequest, CommitterResponse } from "./remote-committer.ts";
import { ThreadChannel } from "./thread.ts";

/** The options of a `SharedWriter`. */
export interface SharedWriterOptions extends WriterOptions {
  /** The path of the SQLite file. A member opens the file before its first change. */
  readonly file: string;
  /** How long a commit waits for another program that writes to the file, in milliseconds. Default: 1000. */
  readonly busyTimeout?: number;
}

/**
 * Makes the changes of several processes, its members, to one SQLite file. Changes that arrive during a commit become the next
 * commit together, as if they came from one process. While a member stores many records, all or none, the others wait.
 *
 * A member opens the database with the other end of its link as `writer`.
 *
 * ```ts
 * const writer = new SharedWriter({ file: "data/person.db", collections: [{ name: "person" }] });
 * const leave = writer.join({
 *   send: (message) => child.send(message),
 *   onMessage: (receive) => child.on("message", receive),
 * });
 * child.once("exit", leave);
 * ```
 */
export class SharedWriter implements CommonWriter {
  readonly #channel: SharedChannel;
  readonly #onCommit: SharedWriterOptions["onCommit"];
  readonly #queue = new BatchQueue<WaitingBatch>((batches) => this.#commit(batches));

  constructor({ file, collections, busyTimeout = 1000, onCommit }: SharedWriterOptions) {
    const data = { path: resolve(file), collections: toStoredCollections(collections), busyTimeout };
    this.#channel = new ThreadChannel("committer-thread", data);
    this.#onCommit = onCommit;
  }

  /**
   * Makes the changes that are requested over a link.
   *
   * @returns a function that must be called when the process at the other end has ended. It gives up an unfinished load; requested
   *   commits are still made
   */
  join(link: MessageLink): () => void {
    const loading = new Loading(this.#channel);
    link.onMessage((message) => {
      const request = message as CommitterRequest; // of a remote writer
      const answer = (given: Answer): void => link.send([request.id, given] satisfies CommitterResponse);
      this.#do(request, loading).then(
        (result) => answer({ kind: "done", result }),
        (error: unknown) => answer(toAnswer(error)),
      );
    });
    return () => loading.leave();
  }

  /** Finishes all requests, and closes the file. The members must have ended. */
  async close(): Promise<void> {
    await this.#queue.finish();
    await this.#channel.close();
  }

  #do({ call, args, changes }: CommitterRequest, loading: Loading): Promise<unknown> {
    switch (call) {
      case "commit": {
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        this.#queue.add({ text: String(args[0]), changes, resolve, reject });
        return promise;
      }
      case "probe":
        return this.#queue.addJob(() => this.#channel.ask("probe"));
      case "beginBulk": {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        // Answered when the load has begun; the next work waits until it has ended.
        this.#queue.addJob(async () => {
          await loading.begin(...(args as Parameters<CommitterCalls["beginBulk"]>)).then(resolve, reject); // those of the call
          await loading.ended;
        });
        return promise;
      }
      case "addToBulk":
      case "endBulk":
      case "abandonBulk":
        return loading.goOn(call, args);
    }
  }

  /** Commits batches together. Never rejects: each waiting member gets its outcomes or the error. */
  async #commit(batches: readonly WaitingBatch[]): Promise<void> {
    const changes = batches.reduce((sum, batch) => sum + batch.changes, 0);
    const texts = batches.map(({ text }) => text);
    try {
      const outcomes = await reportedCommit(this.#onCommit, changes, () => this.#channel.ask("commitTexts", texts));
      for (const [i, { resolve }] of batches.entries()) resolve(outcomes[i]);
    } catch (error) {
      for (const { reject } of batches) reject(error);
    }
  }
}

interface WaitingBatch {
  readonly text: string;
  readonly changes: number;
  readonly resolve: (outcomes: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type SharedChannel = Channel<CommitterThreadCalls>;

/** The loads of one member, one after another. A load stores all of its records or none. */
class Loading {
  readonly #channel: SharedChannel;
  #current: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasLeft = false;

  constructor(channel: SharedChannel) {
    this.#channel = channel;
  }

  /** Resolves when the current load has ended, so that the others need not wait any more. */
  get ended(): Promise<void> | undefined {
    return this.#current?.promise;
  }

  async begin(...args: Parameters<CommitterCalls["beginBulk"]>): Promise<void> {
    if (this.#hasLeft) return;
    await this.#channel.ask("beginBulk", ...args);
    this.#current = Promise.withResolvers();
    if (this.#hasLeft) this.#giveUp();
    else this.#watch();
  }

  async goOn(call: "addToBulk" | "endBulk" | "abandonBulk", args: readonly unknown[]): Promise<unknown> {
    if (this.#current === undefined) {
      if (call === "abandonBulk") return;
      throw new StoreUnavailable("What was loaded before is lost, since its process did not go on with it in time");
    }
    if (call === "abandonBulk") return this.#giveUp();
    if (call === "endBulk") return this.#channel.ask("endBulk").finally(() => this.#end());
    this.#watch();
    return this.#channel.ask("addToBulk", ...(args as Parameters<CommitterCalls["addToBulk"]>)); // those of the call
  }

  /** Must be called when the process has ended. */
  leave(): void {
    this.#hasLeft = true;
    if (this.#current !== undefined) this.#giveUp();
  }

  /** Sets the time limit for the next records: a suspended process must not keep the others waiting. */
  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), patience);
  }

  #giveUp(): void {
    this.#channel.ask("abandonBulk").catch(() => undefined); // where the thread has ended, so has the transaction
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#current?.resolve();
    this.#current = undefined;
  }
}

/** In milliseconds. A process whose records do not arrive gives up by itself before that. */
const patience = 15_000;
