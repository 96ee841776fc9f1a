import type { Worker as WorkerProcess } from "node:cluster";
import { type Ask, sendTo, type WorkerAnswer, type WorkerQuestion } from "./messages.ts";

/** Asks every worker that serves, and resolves with the answers; a worker that does not answer within a second is left out. */
export type AskWorkers = (question: WorkerQuestion) => Promise<readonly unknown[]>;

/** The questions that workers have not answered yet. */
export class Questions {
  readonly #asked = new Map<number, (answer: unknown) => void>();
  #lastId = 0;

  async ask(workers: Iterable<WorkerProcess>, question: Ask): Promise<readonly unknown[]> {
    const answers = await Promise.all([...workers].map((worker) => this.#askOne(worker, question)));
    return answers.filter((answer) => answer !== undefined);
  }

  receive({ id, answer }: WorkerAnswer): void {
    this.#asked.get(id)?.(answer);
  }

  async #askOne(worker: WorkerProcess, question: Ask): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => resolve(undefined), timeToAnswer);
    this.#asked.set(id, resolve);
    sendTo(worker, { ...question, id });
    const answer = await promise;
    clearTimeout(timer);
    this.#asked.delete(id);
    return answer;
  }
}

/** In milliseconds. */
const timeToAnswer = 1000;
