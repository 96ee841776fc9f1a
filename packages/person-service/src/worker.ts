import cluster from "node:cluster";

/** What a process that serves for a supervisor has to do with it. */
export interface Worker extends WorkerOrders {
  /** Tells the supervisor that this process serves on the port, and what a person is to know of it. */
  tellReady(port: number, lines: readonly string[]): void;
  /** Calls back when this process is to stop, and ends it when that is done. The notice is as for `RunningServer.close`. */
  onStop(stop: (notice: number) => Promise<void>): void;
}

/** What a supervisor says to a worker that it starts. */
export interface WorkerOrders {
  /** Whether no other has been started before: what is to be done once is done by this one. */
  readonly isFirst: boolean;
  /** Where to listen; undefined for the port that the options have. */
  readonly port: number | undefined;
}

/** What a worker says to its supervisor, once. */
export interface WorkerReady {
  readonly port: number;
  readonly lines: readonly string[];
}

/** The name of the environment variable that has the orders, as JSON. */
export const ordersVariable = "PERSON_SERVICE_WORKER";

/** The message by which a supervisor stops a worker. */
export const stopMessage = "stop";

/**
 * How long a worker that is stopped alone goes on taking connections, in milliseconds: clients that have one have it closed by the
 * answer to their next request, and not while they send that.
 */
const noticeAlone = 1000;

function send(message: WorkerReady): void {
  process.send?.(message); // without a channel there is no supervisor any more, and soon no worker
}

/** This process as a worker; undefined when no supervisor has started it. */
export function workerOfThisProcess(): Worker | undefined {
  const orders = process.env[ordersVariable];
  if (!cluster.isWorker || orders === undefined) return undefined;
  const { isFirst, port }: WorkerOrders = JSON.parse(orders);
  return {
    isFirst,
    port,
    tellReady: (listening, lines) => send({ port: listening, lines }),
    onStop(stop) {
      const end = async (notice: number): Promise<void> => {
        await stop(notice);
        // The channel to the supervisor would keep it.
        process.exit();
      };
      process.once("SIGTERM", () => end(noticeAlone));
      // A terminal sends it to the workers too, and it is for the supervisor to tell them.
      process.on("SIGINT", () => undefined);
      process.on("message", (message) => {
        if (message === stopMessage) void end(0);
      });
    },
  };
}
