import type { Worker as WorkerProcess } from "node:cluster";
import { EndedSessions } from "../access/ended-sessions.ts";
import { sendTo, type WorkerSessions } from "./messages.ts";
import type { Questions } from "./questions.ts";

/** Passes the sessions that end in a worker on to the others, and to those that start later. */
export class SessionEnds {
  readonly #ended = new EndedSessions(() => Math.floor(Date.now() / 1000));
  readonly #followers = new Set<WorkerProcess>();
  readonly #questions: Questions;

  constructor(questions: Questions) {
    this.#questions = questions;
  }

  async receive(worker: WorkerProcess, message: WorkerSessions): Promise<void> {
    if (message.kind === "follow-ends") {
      this.#followers.add(worker);
      await this.#questions.ask([worker], { kind: "ended-sessions", sessions: this.#ended.all });
      return;
    }
    const { id, session } = message;
    this.#ended.add(session);
    const others = [...this.#followers].filter((follower) => follower !== worker);
    await this.#questions.ask(others, { kind: "ended-sessions", sessions: [session] });
    sendTo(worker, { kind: "end-known", id });
  }

  leave(worker: WorkerProcess): void {
    this.#followers.delete(worker);
  }
}
