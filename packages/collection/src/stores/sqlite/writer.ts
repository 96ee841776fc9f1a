import type { CollectionDefinition } from "../../database.ts";
import type { DatabaseObserver } from "../../observer.ts";
import { StoreUnavailable } from "../../store.ts";
import { BulkReader, type BulkSource } from "../bulk-source.ts";
import type { OutcomeOf, Write } from "../write.ts";
import type { AddressedWrite, BatchedOutcome } from "./batch.ts";
import { BatchQueue, endOfTurn } from "./batch-queue.ts";
import { type Channel, localChannel, ThreadChannel } from "./thread.ts";
import type { BulkOutcome, SqliteTransactions } from "./transactions.ts";

/**
 * Makes the changes to a database file, in the order in which it is given them. What comes while a batch is being committed is
 * the next batch: so a commit, which is what a change has to wait for, is shared by all who write at the same time.
 */
export class SqliteWriter {
  readonly #channel: WriterChannel;
  readonly #maxWaiting: number;
  readonly #onCommit: DatabaseObserver["onCommit"];
  readonly #queue: BatchQueue<WaitingWrite>;
  #waiting = 0;
  #waitingCharacters = 0;
  #lastCommit: Promise<void> | undefined;
  /** Each tells one who waits what became of the change, which is committed. */
  readonly #answers: (() => void)[] = [];
  /** Resolves when there is nothing to answer; undefined when there is nothing. */
  #answering: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @param maxWaiting how many changes may be without an answer; those beyond are refused */
  constructor(channel: WriterChannel, maxWaiting: number, onCommit?: DatabaseObserver["onCommit"]) {
    this.#channel = channel;
    this.#maxWaiting = maxWaiting;
    this.#onCommit = onCommit;
    this.#queue = new BatchQueue(async (batch) => {
      this.#lastCommit = this.#commit(batch);
      if (channel.joinsCommits !== true) await this.#lastCommit;
    });
  }

  /** How many changes are without an answer. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Makes a change; once the promise resolves it survives a crash, and reads that begin then see it.
   *
   * @throws StoreUnavailable (rejects) when it cannot be made just now, or too many others wait
   * @throws StoreOutcomeUnknown (rejects) when it may have been made
   */
  async write<W extends Write>(collection: string, write: W): Promise<OutcomeOf<W>> {
    const characters = "members" in write ? write.members.length : 0;
    this.#admit();
    const { promise, resolve, reject } = Promise.withResolvers<OutcomeOf<Write>>();
    this.#waiting++;
    this.#waitingCharacters += characters;
    this.#queue.add({ collection, write, characters, resolve, reject });
    return promise as Promise<OutcomeOf<W>>; // the outcome of this very write
  }

  /**
   * Stores many records, all or none, in one transaction and in constant memory; other changes wait meanwhile. Nothing is
   * stored when the documents throw, or too few of them come for ten seconds.
   *
   * @throws StoreUnavailable and StoreOutcomeUnknown (rejects) as `write` does
   */
  async bulkCreate(collection: string, source: BulkSource): Promise<BulkOutcome> {
    this.#admit();
    this.#waiting++;
    const { promise, resolve, reject } = Promise.withResolvers<BulkOutcome>();
    this.#queue.addJob(async () => {
      this.#waiting--;
      await sendBulk(this.#channel, collection, source).then(resolve, reject);
    });
    return promise;
  }

  /**
   * Makes a change that leaves everything as it was, in its turn.
   *
   * @throws StoreUnavailable (rejects) as `write` does
   */
  async probe(): Promise<void> {
    this.#admit();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.addJob(() => this.#channel.ask("probe").then(resolve, reject));
    return promise;
  }

  /** Finishes what it was given, and takes no more. Closing it again does nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#queue.finish().then(async () => {
      await this.#lastCommit;
      await this.#answering;
      await this.#channel.close();
    });
    return this.#closing;
  }

  #admit(): void {
    if (this.#closing !== undefined) throw new StoreUnavailable("The database is closed");
    if (this.#waiting >= this.#maxWaiting || this.#waitingCharacters >= mostWaitingCharacters) {
      throw new StoreUnavailable(`${this.#waiting} changes wait for the disk already`);
    }
  }

  /** Never rejects: each of those who wait is told. The next are committed while these are answered. */
  async #commit(batch: readonly WaitingWrite[]): Promise<void> {
    const writes = batch.map(({ collection, write }): AddressedWrite => ({ collection, write }));
    const started = performance.now();
    const report = (error: unknown): void =>
      this.#onCommit?.({ changes: batch.length, milliseconds: performance.now() - started, error });
    const answer = await this.#channel.ask("commit", writes).then(
      (outcomes) => {
        report(undefined);
        return (waiting: WaitingWrite, i: number) => {
          const outcome = outcomes[i] as BatchedOutcome; // there are as many as writes
          if (outcome.kind === "failed") waiting.reject(outcome.error);
          else waiting.resolve(outcome);
        };
      },
      (error: unknown) => {
        report(error);
        return (waiting: WaitingWrite) => waiting.reject(error);
      },
    );
    for (const [i, waiting] of batch.entries()) {
      this.#answers.push(() => {
        this.#waiting--;
        this.#waitingCharacters -= waiting.characters;
        answer(waiting, i);
      });
    }
    this.#answering ??= this.#answer();
  }

  /** Some in each turn of the event loop, so that those who read come between. */
  async #answer(): Promise<void> {
    while (this.#answers.length > 0) {
      const share = Math.max(answersInTurn, Math.ceil(this.#answers.length / turnsOfAnswers));
      for (const answer of this.#answers.splice(0, share)) answer();
      await endOfTurn();
    }
    this.#answering = undefined;
  }
}

/**
 * How many are answered in a turn at least. An answer and the next request, which it makes its client send, take the thread that
 * serves as long as two reads: 64 clients who read without a break keep most of it.
 */
const answersInTurn = 8;

/** In about how many turns the answers are given that are due, however many they are. */
const turnsOfAnswers = 8;

interface WaitingWrite extends AddressedWrite {
  readonly characters: number;
  readonly resolve: (outcome: OutcomeOf<Write>) => void;
  readonly reject: (error: unknown) => void;
}

/** However large each of them is: this is about the memory that those who wait may take. */
const mostWaitingCharacters = 33_554_432;

/** What a writer can have done. */
export type WriterCalls = Pick<
  SqliteTransactions,
  "commit" | "probe" | "beginBulk" | "addToBulk" | "endBulk" | "abandonBulk"
>;

/** What the thread that writes can have done. */
export type WriterThreadCalls = WriterCalls & Pick<SqliteTransactions, "commitTexts">;

/** The way from a writer to the transactions. */
export type WriterChannel = Channel<WriterCalls>;

/** What the thread is started with. */
export interface WriterThreadData {
  /** Absolute. */
  readonly path: string;
  readonly collections: readonly CollectionDefinition[];
  /** Milliseconds. */
  readonly busyTimeout: number;
}

/** Has the transactions made in a thread of its own, so that nobody who reads waits for the disk. */
export function threadedWriter(data: WriterThreadData): WriterChannel {
  return new ThreadChannel({ file: "writer-thread", data, task: "writes", committing: ["commit", "endBulk"] });
}

/**
 * Has the transactions made on the thread that asks, over the very connection that reads. What is loaded is kept until all of it
 * is there, or those reads would see it before it is committed.
 */
export function localWriter(transactions: SqliteTransactions): WriterChannel {
  let begun: Parameters<WriterCalls["beginBulk"]> | undefined;
  let kept: Parameters<WriterCalls["addToBulk"]>[] = [];

  const calls: WriterCalls = {
    commit: (batch) => transactions.commit(batch),
    probe: () => transactions.probe(),
    beginBulk(...args) {
      begun = args;
      kept = [];
    },
    addToBulk(...args) {
      kept.push(args);
      return true;
    },
    endBulk() {
      if (begun !== undefined) transactions.beginBulk(...begun);
      for (const args of kept) if (!transactions.addToBulk(...args)) break;
      calls.abandonBulk();
      return transactions.endBulk();
    },
    abandonBulk() {
      begun = undefined;
      kept = [];
    },
  };
  return localChannel(calls);
}

/**
 * Sends documents through the channel to be stored, all or none: some after the others, each time when those before are stored.
 * Stops the documents when no more are wanted.
 *
 * @throws StoreUnavailable (rejects) also when the documents stop coming; their own errors are passed on
 */
async function sendBulk(channel: WriterChannel, collection: string, source: BulkSource): Promise<BulkOutcome> {
  const { onlyIfEmpty, owner } = source;
  const reader = new BulkReader(source);
  try {
    await channel.ask("beginBulk", collection, { onlyIfEmpty, owner });
    let writes = await reader.next();
    for (let isWanted = true; isWanted && writes.length > 0; ) {
      // The next are made while those before them are stored.
      [isWanted, writes] = await Promise.all([channel.ask("addToBulk", writes), reader.next()]);
    }
    return await channel.ask("endBulk");
  } catch (error) {
    await channel.ask("abandonBulk").catch(() => undefined); // the thread that had begun it is gone, and the transaction with it
    throw error;
  } finally {
    reader.stop();
  }
}
