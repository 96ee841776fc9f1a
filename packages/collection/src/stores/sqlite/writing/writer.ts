import { databaseClosed, StoreUnavailable } from "../../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../../contract/observer.ts";
import { BulkReader, type BulkSource } from "../../writing/bulk-source.ts";
import type { OutcomeOf, Write } from "../../writing/write.ts";
import type { BulkOutcome } from "./bulk-creation.ts";
import type { WriteOutcome } from "./committer.ts";
import type { CommitterChannel } from "./committer-channel.ts";

/**
 * Makes the changes to a database file, in the order of the calls. The changes that arrive during a commit, or while it is
 * answered, are the next batch, so that changes at the same time share a commit, which takes most of their time.
 */
export class SqliteWriter {
  readonly #channel: CommitterChannel;
  readonly #maxWaiting: number;
  readonly #onCommit: DatabaseObserver["onCommit"];
  readonly #queue: BatchQueue<WaitingWrite>;
  #waiting = 0;
  #waitingCharacters = 0;
  #lastCommit: Promise<void> | undefined;
  /** The functions that settle the promises of the changes of finished commits, one each. */
  readonly #answers: (() => void)[] = [];
  /** Resolves when all these functions were called; undefined without any. */
  #answering: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @param maxWaiting the maximum of unanswered changes; further ones are refused */
  constructor(channel: CommitterChannel, maxWaiting: number, onCommit?: DatabaseObserver["onCommit"]) {
    this.#channel = channel;
    this.#maxWaiting = maxWaiting;
    this.#onCommit = onCommit;
    this.#queue = new BatchQueue(async (batch) => {
      this.#lastCommit = this.#commit(batch);
      await this.#lastCommit;
      await this.#gather();
    });
  }

  /** The number of unanswered changes; a load counts until it begins. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Makes a change. When the promise resolves, the change survives a crash, and reads that begin then see it.
   *
   * @throws StoreUnavailable (rejects) when the change cannot be made just now, or too many others wait
   * @throws StoreOutcomeUnknown (rejects) when the change may have been made
   */
  async write<W extends Write>(collection: string, write: W): Promise<OutcomeOf<W>> {
    this.#admit();
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    const characters = "members" in write ? write.members.length : 0;
    this.#waiting++;
    this.#waitingCharacters += characters;
    this.#queue.add({ collection, write, characters, resolve, reject });
    return promise as Promise<OutcomeOf<W>>; // the outcome of this very write
  }

  /**
   * Stores many records, all or none, in one transaction and in constant memory; other changes wait meanwhile. Nothing is stored
   * when the documents throw, or too few of them arrive in ten seconds.
   *
   * @throws StoreUnavailable and StoreOutcomeUnknown (rejects) as `write` does
   */
  async bulkCreate(collection: string, source: BulkSource): Promise<BulkOutcome> {
    this.#admit();
    this.#waiting++;
    return this.#queue.addJob(() => {
      this.#waiting--;
      return sendBulk(this.#channel, collection, source);
    });
  }

  /**
   * Does work in a transaction of its own, in which it asks the committer by the channel; other changes wait meanwhile.
   *
   * @throws what the work throws; StoreUnavailable and StoreOutcomeUnknown (rejects) as `write` does
   */
  async transaction<R>(work: (channel: Pick<CommitterChannel, "ask">) => Promise<R>): Promise<R> {
    this.#admit();
    this.#waiting++;
    return this.#queue.addJob(async () => {
      this.#waiting--;
      await this.#channel.ask("beginTransaction");
      try {
        const result = await work(this.#channel);
        await reportedCommit(this.#onCommit, 1, () => this.#channel.ask("commitTransaction"));
        return result;
      } catch (error) {
        await this.#channel.ask("abandonTransaction").catch(() => undefined); // when the thread is gone, so is the transaction
        throw error;
      }
    });
  }

  /**
   * Makes a change that leaves all data unchanged, in the order of the calls.
   *
   * @throws StoreUnavailable (rejects) as `write` does
   */
  async probe(): Promise<void> {
    this.#admit();
    return this.#queue.addJob(() => this.#channel.ask("probe"));
  }

  /** Finishes all changes, and accepts no more. Closing again does nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#queue.finish().then(async () => {
      await this.#lastCommit;
      await this.#answering;
      await this.#channel.close();
    });
    return this.#closing;
  }

  #admit(): void {
    if (this.#closing !== undefined) throw databaseClosed();
    if (this.#waiting >= this.#maxWaiting || this.#waitingCharacters >= mostWaitingCharacters) {
      throw new StoreUnavailable(`${this.#waiting} changes wait for the disk already`);
    }
  }

  /**
   * Commits a batch. Never rejects: each change gets its outcome or the error, some of them after this resolves.
   */
  async #commit(batch: readonly WaitingWrite[]): Promise<void> {
    const writes = batch.map(({ collection, write }) => ({ collection, write }));
    const committing = reportedCommit(this.#onCommit, batch.length, () => this.#channel.ask("commit", writes));
    const answer = await committing.then(
      (outcomes) => (waiting: WaitingWrite, i: number) => {
        const outcome = outcomes[i] as WriteOutcome; // there are as many as writes
        if (outcome.kind === "failed") waiting.reject(outcome.error);
        else waiting.resolve(outcome);
      },
      (error: unknown) => (waiting: WaitingWrite) => waiting.reject(error),
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

  /** Waits for the changes that clients send when they are answered, unless many changes wait already. */
  async #gather(): Promise<void> {
    while (this.#answering !== undefined && this.#waiting - this.#answers.length < enoughForCommit) await endOfTurn();
  }

  /** Gives some of the answers in each turn of the event loop, so that reads can be made between them. */
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
 * The minimum of answers in a turn. An answer, and the next request that its client then sends, take the serving thread as long as
 * two reads: 64 clients that read without a break keep most of its time.
 */
const answersInTurn = 8;

/** The approximate number of turns for all due answers, however many they are. */
const turnsOfAnswers = 8;

/**
 * The number of changes with which a commit begins while others are still answered. A few clients then share each commit, instead of
 * every second one: with 16, a change takes 15 % less processor time. With many, the next commit goes on beside the answers.
 */
const enoughForCommit = 32;

interface WaitingWrite {
  readonly collection: string;
  readonly write: Write;
  readonly characters: number;
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** In characters of JSON, for all waiting changes together: about the memory that they may take, however large each of them is. */
const mostWaitingCharacters = 33_554_432;

/**
 * Sends documents through the channel in batches, to store all or none. Each batch is sent when the one before is stored. Stops the
 * documents when no more are wanted.
 *
 * @throws StoreUnavailable (rejects) also when the documents stop arriving; errors of the documents themselves are passed on
 */
async function sendBulk(channel: CommitterChannel, collection: string, source: BulkSource): Promise<BulkOutcome> {
  const { onlyIfEmpty, owner, unique } = source;
  const reader = new BulkReader(source);
  try {
    await channel.ask("beginBulk", collection, { onlyIfEmpty, owner, unique });
    let writes = await reader.next();
    for (let isWanted = true; isWanted && writes.length > 0; ) {
      // The next writes are made while those before them are stored.
      [isWanted, writes] = await Promise.all([channel.ask("addToBulk", writes), reader.next()]);
    }
    return await channel.ask("endBulk", source.end());
  } catch (error) {
    await channel.ask("abandonBulk").catch(() => undefined); // when the thread is gone, so is the transaction
    throw error;
  } finally {
    reader.stop();
  }
}

/**
 * Processes batches of items, and jobs between the batches, one after another in the order in which they were added. Consecutive
 * items that arrive during earlier work become one batch.
 */
export class BatchQueue<T> {
  readonly #doBatch: (batch: readonly T[]) => Promise<void>;
  /** The batches and jobs that have not begun. */
  readonly #waiting: (T[] | (() => Promise<void>))[] = [];
  #running: Promise<void> | undefined;

  /** @param doBatch must not reject */
  constructor(doBatch: (batch: readonly T[]) => Promise<void>) {
    this.#doBatch = doBatch;
  }

  add(item: T): void {
    const last = this.#waiting.at(-1);
    if (Array.isArray(last)) last.push(item);
    else this.#waiting.push([item]);
    this.#running ??= this.#run();
  }

  /** Does a job in its turn, and returns its result. */
  addJob<R>(job: () => Promise<R>): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    this.#waiting.push(() => job().then(resolve, reject));
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when nothing is left to do. */
  async finish(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // At the end of this turn of the event loop, the batch has all items that arrived in the turn.
      await endOfTurn();
      const next = this.#waiting.shift();
      await (Array.isArray(next) ? this.#doBatch(next) : next?.());
    }
    this.#running = undefined;
  }
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
