import { setTimeout as elapse } from "node:timers/promises";
import { databaseClosed, StoreOutcomeUnknown, StoreUnavailable } from "../../contract/errors.ts";
import { type DatabaseObserver, reportedCommit } from "../../contract/observer.ts";
import type { BulkSource } from "../../writing/bulk-source.ts";
import type { OutcomeOf, RemoveWrite, Write } from "../../writing/write.ts";
import type { BulkOutcome } from "./bulk-creation.ts";
import type { WriteOutcome } from "./committer.ts";
import { type CommitterChannel, sendBulk } from "./committer-channel.ts";
import { type OwnedRecords, pauseOfRemoval, stepOfRemoval } from "./owned-records.ts";

/**
 * Makes the changes to a database file, in the order of the calls. The changes that arrive during a commit, or while it is
 * answered, are the next batch, so that changes at the same time share a commit, which takes most of their time.
 */
export class SqliteWriter {
  readonly #channel: CommitterChannel;
  readonly #maxWaiting: number;
  readonly #onCommit: DatabaseObserver["onCommit"];
  /** What has not begun, in its order: batches of changes, and jobs between them. */
  readonly #queue: (WaitingWrite[] | (() => Promise<void>))[] = [];
  /** Resolves when the queue is empty; undefined while it is. */
  #running: Promise<void> | undefined;
  #waiting = 0;
  #waitingCharacters = 0;
  /** The outcomes of the changes of finished commits, one each, that are not reported yet. */
  readonly #answers: { readonly waiting: WaitingWrite; readonly outcome: WriteOutcome }[] = [];
  /** Resolves when all of them are; undefined without any. */
  #answering: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @param maxWaiting the maximum of unanswered changes; further ones are refused */
  constructor(channel: CommitterChannel, maxWaiting: number, onCommit?: DatabaseObserver["onCommit"]) {
    this.#channel = channel;
    this.#maxWaiting = maxWaiting;
    this.#onCommit = onCommit;
  }

  /** The number of unanswered changes; a load or a transaction counts until it begins. */
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
    const waiting = { collection, write, characters, resolve, reject };
    const last = this.#queue.at(-1);
    if (Array.isArray(last)) last.push(waiting);
    else this.#queue.push([waiting]);
    this.#running ??= this.#run();
    return promise as Promise<OutcomeOf<W>>; // the outcome of this very write
  }

  /**
   * Removes a record after those that are to be removed with it, in steps between which other changes are made. Its precondition holds
   * from the first step on.
   *
   * @throws StoreUnavailable and StoreOutcomeUnknown (rejects) as `write` does; the latter also where it ends between the steps
   */
  async removeInSteps(
    collection: string,
    write: RemoveWrite,
    all: readonly OwnedRecords[],
  ): Promise<OutcomeOf<RemoveWrite>> {
    let left = write;
    try {
      for (const owned of all.toReversed()) {
        const remove = () => this.#channel.ask("removeSome", { collection, write: left }, owned);
        for (let removed = stepOfRemoval; removed === stepOfRemoval; ) {
          removed = await this.#inTurn(remove);
          if (removed > 0) left = { ...write, expectedRevision: undefined };
          if (removed === stepOfRemoval) await elapse(pauseOfRemoval);
        }
      }
      return await this.write(collection, left);
    } catch (error) {
      if (left === write || !(error instanceof StoreUnavailable)) throw error;
      throw new StoreOutcomeUnknown("Some records of the owner were removed before it", { cause: error });
    }
  }

  /**
   * Stores many records, all or none, in one transaction and in constant memory; other changes wait meanwhile. Nothing is stored
   * when the documents throw, or too few of them arrive in ten seconds.
   *
   * @throws StoreUnavailable and StoreOutcomeUnknown (rejects) as `write` does
   */
  bulkCreate(collection: string, source: BulkSource): Promise<BulkOutcome> {
    return this.#inTurn(() => sendBulk(this.#channel, collection, source));
  }

  /**
   * Does work in a transaction of its own, in which it asks the committer by the channel; other changes wait meanwhile.
   *
   * @throws what the work throws; StoreUnavailable and StoreOutcomeUnknown (rejects) as `write` does
   */
  transaction<R>(work: (channel: Pick<CommitterChannel, "ask">) => Promise<R>): Promise<R> {
    return this.#inTurn(async () => {
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
  probe(): Promise<void> {
    return this.#inTurn(() => this.#channel.ask("probe"));
  }

  /** Finishes all changes, and accepts no more. Closing again does nothing. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve(this.#running).then(async () => {
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

  /** Does a job between batches, in its turn, and returns its result. */
  async #inTurn<R>(job: () => Promise<R>): Promise<R> {
    this.#admit();
    this.#waiting++;
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    this.#queue.push(() => {
      this.#waiting--;
      return job().then(resolve, reject);
    });
    this.#running ??= this.#run();
    return promise;
  }

  /** Makes what waits, one after another. Changes that arrive meanwhile, without a job between them, become one batch. */
  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // At the end of this turn of the event loop, the batch has all changes that arrived in the turn.
      await endOfTurn();
      const next = this.#queue.shift();
      if (Array.isArray(next)) await this.#commit(next);
      else await next?.();
    }
    this.#running = undefined;
  }

  /** Commits a batch. Never rejects: each change gets its outcome or the error, some of them after this resolves. */
  async #commit(batch: readonly WaitingWrite[]): Promise<void> {
    const writes = batch.map(({ collection, write }) => ({ collection, write }));
    const outcomes = await reportedCommit(this.#onCommit, batch.length, () =>
      this.#channel.ask("commit", writes),
    ).catch((error: unknown) => batch.map((): WriteOutcome => ({ kind: "failed", error })));
    for (const [i, waiting] of batch.entries()) {
      this.#answers.push({ waiting, outcome: outcomes[i] as WriteOutcome }); // there are as many
    }
    this.#answering ??= this.#answer();
    await this.#gather();
  }

  /** Waits for the changes that clients send when they are answered, unless many changes wait already. */
  async #gather(): Promise<void> {
    while (this.#answering !== undefined && this.#waiting - this.#answers.length < enoughForCommit) await endOfTurn();
  }

  /** Gives some of the answers in each turn of the event loop, so that reads can be made between them. */
  async #answer(): Promise<void> {
    while (this.#answers.length > 0) {
      const share = Math.max(answersInTurn, Math.ceil(this.#answers.length / turnsOfAnswers));
      for (const { waiting, outcome } of this.#answers.splice(0, share)) {
        this.#waiting--;
        this.#waitingCharacters -= waiting.characters;
        if (outcome.kind === "failed") waiting.reject(outcome.error);
        else waiting.resolve(outcome);
      }
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

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
