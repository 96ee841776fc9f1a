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

  /** @param job must not reject */
  addJob(job: () => Promise<void>): void {
    this.#waiting.push(job);
    this.#running ??= this.#run();
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

export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
