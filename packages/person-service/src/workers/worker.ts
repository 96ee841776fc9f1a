import cluster from "node:cluster";
import type { MessageLink } from "@waymark/collection";
import type { SharedEnds } from "../access/ended-sessions.ts";
import {
  ordersVariable,
  type SupervisorMessage,
  type WorkerMessage,
  type WorkerOrders,
  type WorkerQuestion,
} from "./messages.ts";

/** This process as a worker of a supervisor. */
export interface Worker extends Pick<WorkerOrders, "isFirst" | "port" | "sessionKey"> {
  /** Leads to the writer of the supervisor; undefined where each worker changes the database by itself. */
  readonly writer: MessageLink | undefined;
  /** Leads to the other workers. */
  readonly sharedEnds: SharedEnds;
  /** Reports to the supervisor that this process serves on the port, with the lines to print. */
  reportReady(port: number, lines: readonly string[]): void;
  /** Sets what answers the questions of the supervisor. */
  onQuestion(answer: (question: WorkerQuestion) => Promise<unknown>): void;
  /** Sets what stops the service, after which the process ends. The notice is that of `RunningServer.close`. */
  onStop(stop: (cause: string, notice: number) => Promise<void>): void;
}

/** Returns this process as a worker; undefined where no supervisor has started it. */
export function workerOfThisProcess(): Worker | undefined {
  const orders = process.env[ordersVariable];
  if (!cluster.isWorker || orders === undefined) return undefined;
  const { sharesWriter, ...given }: WorkerOrders = JSON.parse(orders);
  return {
    ...given,
    writer: sharesWriter ? linkToWriter : undefined,
    sharedEnds: endsOfOtherWorkers(),
    reportReady: (port, lines) => send({ kind: "ready", port, lines }),
    onQuestion(answer) {
      onMessage((message) => {
        if (message.kind !== "question") return;
        const { id, question } = message;
        answer(question).then(
          (answered) => send({ kind: "answer", id, answer: answered }),
          () => undefined, // the supervisor goes on without the answer
        );
      });
    },
    onStop(stop) {
      const end = async (cause: string, notice: number): Promise<void> => {
        await stop(cause, notice);
        // The channel to the supervisor would keep it running.
        process.exit();
      };
      process.once("SIGTERM", () => end("SIGTERM", noticeAlone));
      // A terminal sends it to the workers too; the supervisor stops them.
      process.on("SIGINT", () => undefined);
      onMessage((message) => {
        if (message.kind === "stop") void end("order of the supervisor", 0);
      });
    },
  };
}

const linkToWriter: MessageLink = {
  send: (message) => send({ kind: "writer", message }),
  onMessage(receive) {
    onMessage((message) => {
      if (message.kind === "writer") receive(message.message);
    });
  },
};

function endsOfOtherWorkers(): SharedEnds {
  const reported = new Map<number, () => void>();
  let lastId = 0;
  return {
    report(session) {
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<void>();
      reported.set(id, resolve);
      send({ kind: "session-end", id, session });
      return promise;
    },
    onEnded(receive) {
      onMessage((message) => {
        if (message.kind === "end-known") {
          reported.get(message.id)?.();
          reported.delete(message.id);
        }
        if (message.kind !== "ended-sessions") return;
        receive(message.sessions);
        send({ kind: "answer", id: message.id, answer: true });
      });
      // The answer comes before the socket that this worker listens on, which is asked for later on the same channel.
      send({ kind: "follow-ends" });
    },
  };
}

/** Without a channel there is no supervisor any more, and soon no worker. */
const send = (message: WorkerMessage): void => void process.send?.(message, undefined, undefined, () => undefined);

const onMessage = (receive: (message: SupervisorMessage) => void): void => void process.on("message", receive);

/**
 * How long a worker that stops while others serve still accepts connections, in milliseconds: an open connection is closed by the
 * answer to its next request, and not while that is sent.
 */
const noticeAlone = 1000;
