/**
 * Decides when queries are sent that each answer many requests: after the requests that have already arrived are processed, and two
 * at once, so that the server works on one query while this program parses the rows of the other.
 */
export class QuerySchedule {
  readonly #send: () => Promise<void>;
  readonly #isWaiting: () => boolean;
  #isDue = false;
  #underWay = 0;

  /**
   * @param send sends a query for the requests that wait, and resolves when they are answered
   * @param isWaiting returns whether there are such requests
   */
  constructor(send: () => Promise<void>, isWaiting: () => boolean) {
    this.#send = send;
    this.#isWaiting = isWaiting;
  }

  /** Has a query sent for a new request, as soon as it is due. */
  add(): void {
    if (this.#isDue || this.#underWay >= queriesAtOnce) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#take();
    });
  }

  async #take(): Promise<void> {
    this.#underWay++;
    await this.#send();
    this.#underWay--;
    if (this.#isWaiting()) this.add();
  }
}

const queriesAtOnce = 2;
