// What a supervisor and its workers send to each other.

import type { Worker as WorkerProcess } from "node:cluster";
import type { Session } from "../access/ended-sessions.ts";

/** What a supervisor hands to a worker that it starts. */
export interface WorkerOrders {
  /** Whether it is the first worker, which does what is done once. */
  readonly isFirst: boolean;
  /** The port to listen on; undefined for that of the options. */
  readonly port: number | undefined;
  /** What seals the sessions of browsers, in base64. */
  readonly sessionKey: string;
  /** Whether the supervisor makes the changes to the database. */
  readonly sharesWriter: boolean;
}

/** The name of the environment variable that has the orders, as JSON. */
export const ordersVariable = "WORKER_OF_PERSON_SERVICE";

/** What a worker can be asked. */
export type WorkerQuestion = "metrics" | "health";

export type SupervisorMessage =
  | { readonly kind: "stop" }
  | ({ readonly id: number } & Ask)
  | { readonly kind: "end-known"; readonly id: number }
  | WriterMessage;

/** Sends a message to a worker. Errors are ignored: one that has ended meanwhile emits its exit. */
export const sendTo = (worker: WorkerProcess, message: SupervisorMessage): void =>
  void worker.send(message, () => undefined);

/** What every worker answers. */
export type Ask =
  | { readonly kind: "question"; readonly question: WorkerQuestion }
  /** Sessions that ended: the answer is that the worker refuses them. */
  | { readonly kind: "ended-sessions"; readonly sessions: readonly Session[] };

export type WorkerMessage = WorkerReady | WorkerAnswer | WorkerSessions | WriterMessage;

/** What a worker sends about sessions: that it is to get those that ended, and that one ended. */
export type WorkerSessions =
  | { readonly kind: "follow-ends" }
  | { readonly kind: "session-end"; readonly id: number; readonly session: Session };

/** The message of a worker that serves. */
export interface WorkerReady {
  readonly kind: "ready";
  readonly port: number;
  /** What is to be printed once all serve. */
  readonly lines: readonly string[];
}

export interface WorkerAnswer {
  readonly kind: "answer";
  readonly id: number;
  readonly answer: unknown;
}

/** A message of the link between the writer of the supervisor and a worker. */
interface WriterMessage {
  readonly kind: "writer";
  readonly message: unknown;
}
