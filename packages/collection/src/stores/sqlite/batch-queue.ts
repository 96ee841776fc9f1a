/**
 * Does one thing after another: batches of items, each made of those that come while what is before them is done, and jobs between
 * two batches. All is done in the order in which it was added.
 */
export class BatchQueue<T> {
  readonly #doBatch: (batch: readonly T[]) => Promise<void>;
  /** What has not begun yet. */
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
      // At the end of this turn of the event loop all that came in it are there.
      await endOfTurn();
      const next = this.#waiting.shift();
      await (Array.isArray(next) ? this.#doBatch(next) : next?.());
    }
    this.#running = undefined;
  }
}

export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
