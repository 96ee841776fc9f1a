import cluster, { type Worker as WorkerProcess } from "node:cluster";
import { randomBytes } from "node:crypto";
import { type CommonWriter, isSingleExecutable, type MessageLink } from "@waymark/collection";
import type { RunningServer } from "@waymark/node";
import type { Log } from "../log/log.ts";
import { ordersVariable, sendTo, type WorkerMessage, type WorkerOrders, type WorkerReady } from "./messages.ts";
import { type AskWorkers, Questions } from "./questions.ts";
import { SessionEnds } from "./session-ends.ts";

interface Supervision {
  /** How many processes serve. */
  readonly count: number;
  /** How long requests in progress may take when all processes stop, in milliseconds. */
  readonly grace: number;
  /** Prints a line on standard output. */
  readonly print: (line: string) => void;
  readonly log: Pick<Log, "write">;
  /** Opens what answers for all workers, which it can ask. */
  readonly openAdmin?: ((ask: AskWorkers) => Promise<Pick<RunningServer, "close">>) | undefined;
  /** Makes the changes of all workers, and is closed after the last has ended. Default: each makes its own. */
  readonly writer?: CommonWriter | undefined;
}

/**
 * Starts this program again as workers, which serve on one port, and a new one for each that ends. SIGINT and SIGTERM end them all, a
 * second one at once. Resolves when the last has ended, with the exit code of the program: that of the first worker when it
 * could not start; 1 when workers end again and again as soon as they are started; otherwise 0.
 */
export async function superviseWorkers(supervision: Supervision): Promise<number> {
  // They share one listening socket, so that no connection waits for a worker that has ended, and take connections from it
  // themselves: with one for each request that is twice as fast as this process handing them out. See docs/scaling.md.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // A single executable takes what would be the path of its program as its first argument, which the command can be.
  const [command = "", ...rest] = process.argv.slice(2);
  if (isSingleExecutable())
    cluster.setupPrimary({ exec: "serve", args: command === "serve" ? rest : process.argv.slice(2) });
  cluster.setupPrimary({ serialization: "advanced" });
  const { promise, resolve } = Promise.withResolvers<number>();
  const { ask, begin } = supervisor(supervision, resolve);
  const admin = await supervision.openAdmin?.(ask);
  begin();
  const exitCode = await promise;
  await supervision.writer?.close();
  await admin?.close();
  return exitCode;
}

/** A worker that ends sooner than this, in milliseconds, may not be able to run at all. */
const shortLife = 5000;

/** After this many short lives in a row the program ends. */
const mostShortLives = 5;

/** How long closing the database may take beyond the grace, in milliseconds, before a worker is killed. */
const timeToClose = 5000;

interface Supervisor {
  readonly ask: AskWorkers;
  begin(): void;
}

function supervisor(supervision: Supervision, end: (exitCode: number) => void): Supervisor {
  const workers = new Set<WorkerProcess>();
  /** Shared by all workers, so that each knows the browsers that signed in at another. */
  const sessionKey = randomBytes(32).toString("base64");
  const ready = new Set<WorkerProcess>();
  /** Workers that may have read their files before the last SIGHUP, and cannot handle it yet. */
  const toReload = new Set<WorkerProcess>();
  const restarts = new Set<NodeJS.Timeout>();
  const questions = new Questions();
  const sessionEnds = new SessionEnds(questions);
  let knownPort: number | undefined;
  /** The port that was asked for by those that share the socket now, by which Node knows it; undefined for that of the options. */
  let socket: number | undefined;
  let linesToPrint: readonly string[] | undefined;
  let shortLives = 0;
  let stopping = false;
  let lastExitCode = 0;
  const ask: AskWorkers = (question) => questions.ask(ready, { kind: "question", question });

  const start = ({ isFirst }: Pick<WorkerOrders, "isFirst">): void => {
    const { writer } = supervision;
    const orders: WorkerOrders = {
      isFirst,
      port: isFirst ? undefined : socket,
      sessionKey,
      sharesWriter: writer !== undefined,
    };
    const worker = cluster.fork({ [ordersVariable]: JSON.stringify(orders) });
    workers.add(worker);
    const leaveWriter = writer?.join(linkTo(worker));
    let isYoung = true;
    let youth: NodeJS.Timeout | undefined;
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "answer") questions.receive(message);
      if (message.kind === "follow-ends" || message.kind === "session-end") {
        void sessionEnds.receive(worker, message);
      }
      if (message.kind !== "ready") return;
      // From now on, since a start may take long on a busy machine.
      youth = setTimeout(() => {
        isYoung = false;
        shortLives = 0;
      }, shortLife);
      serves(worker, orders, message);
    });
    worker.once("exit", (code: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(youth);
      leaveWriter?.();
      sessionEnds.leave(worker);
      workers.delete(worker);
      ready.delete(worker);
      toReload.delete(worker);
      // The shared socket is closed then, and port 0 of the options would now be another port.
      if (ready.size === 0) socket = knownPort;
      if (stopping) return endWithoutWorkers();
      if (code !== 0 && isYoung) shortLives++;
      replaceEnded(`worker ${worker.process.pid} ended (${signal ?? `exit code ${code}`})`, code);
    });
  };

  const serves = (worker: WorkerProcess, orders: WorkerOrders, { port, lines }: WorkerReady): void => {
    knownPort ??= port;
    if (port !== knownPort) {
      // All workers that it should share a socket with ended before it listened.
      worker.process.kill("SIGTERM");
      return;
    }
    socket = orders.port;
    ready.add(worker);
    if (toReload.delete(worker)) worker.process.kill("SIGHUP");
    if (stopping) {
      askToStop(worker);
      return;
    }
    supervision.print(`worker ${worker.process.pid} serves`);
    if (orders.isFirst) {
      linesToPrint = lines;
      for (let others = 1; others < supervision.count; others++) start({ isFirst: false });
    }
    if (linesToPrint === undefined || ready.size < supervision.count) return;
    supervision.print(linesToPrint.join("\n"));
    linesToPrint = undefined;
  };

  /** @param ended which worker did, and how; the exit code is null when a signal ended it */
  const replaceEnded = (ended: string, exitCode: number | null): void => {
    if (knownPort === undefined) {
      // A worker with an exit code has printed why.
      if (exitCode === null) logEnd("error", `${ended} before it served`);
      stop(exitCode || 1);
    } else if (shortLives >= mostShortLives) {
      logEnd("error", `${ended}, as did ${mostShortLives - 1} before it as soon as they were started`);
      stop(1);
    } else {
      logEnd("warn", `${ended}, and another one takes its place`);
      startLater();
    }
  };

  /** Starts another worker: at once after one that ran for a while, later and later after short lives. */
  const startLater = (): void => {
    const delay = shortLives === 0 ? 0 : 100 * 2 ** (shortLives - 1);
    const restart = setTimeout(() => {
      restarts.delete(restart);
      start({ isFirst: false });
    }, delay);
    restarts.add(restart);
  };

  const reload = (): void => {
    for (const worker of workers) {
      if (ready.has(worker)) worker.process.kill("SIGHUP");
      else toReload.add(worker);
    }
  };

  const stop = (exitCode: number): void => {
    if (stopping) return;
    stopping = true;
    lastExitCode = exitCode;
    for (const restart of restarts) clearTimeout(restart);
    for (const worker of workers) {
      if (ready.has(worker)) askToStop(worker);
      else worker.process.kill("SIGTERM");
    }
    const kill = (): void => {
      for (const worker of workers) worker.process.kill("SIGKILL");
    };
    setTimeout(kill, supervision.grace + timeToClose).unref();
    endWithoutWorkers();
  };

  const endWithoutWorkers = (): void => {
    if (workers.size === 0) end(lastExitCode);
  };

  const logEnd = (level: "warn" | "error", message: string): void => {
    supervision.log.write(level, "worker-end", message);
  };

  return {
    ask,
    begin() {
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        process.once(signal, () => {
          supervision.log.write("info", "stop", `stops on ${signal}`, { cause: signal });
          stop(0);
        });
      }
      process.on("SIGHUP", () => reload());
      // One worker first: only it reports a start error, and it does what is to be done once before the others start.
      start({ isFirst: true });
    },
  };
}

const askToStop = (worker: WorkerProcess): void => sendTo(worker, { kind: "stop" });

const linkTo = (worker: WorkerProcess): MessageLink => ({
  send: (message) => sendTo(worker, { kind: "writer", message }),
  onMessage(receive) {
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "writer") receive(message.message);
    });
  },
});
