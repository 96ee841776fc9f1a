import cluster, { type Worker as WorkerProcess } from "node:cluster";
import { randomBytes } from "node:crypto";
import { type CommonWriter, isSingleExecutable, type MessageLink } from "@waymark/collection";
import type { RunningServer } from "@waymark/node";
import type { Log } from "../log/log.ts";
import {
  ordersVariable,
  type SupervisorMessage,
  type WorkerMessage,
  type WorkerOrders,
  type WorkerReady,
} from "./messages.ts";
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
  const supervisor = new Supervisor(supervision, resolve);
  const admin = await supervision.openAdmin?.(supervisor.ask);
  supervisor.begin();
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

class Supervisor {
  readonly #supervision: Supervision;
  readonly #end: (exitCode: number) => void;
  readonly #workers = new Set<WorkerProcess>();
  /** Shared by all workers, so that each knows the browsers that signed in at another. */
  readonly #sessionKey = randomBytes(32).toString("base64");
  readonly #ready = new Set<WorkerProcess>();
  /** Workers that may have read their files before the last SIGHUP, and cannot handle it yet. */
  readonly #toReload = new Set<WorkerProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  readonly #questions = new Questions();
  readonly #sessionEnds = new SessionEnds(this.#questions);
  #port: number | undefined;
  /** The port that was asked for by those that share the socket now, by which Node knows it; undefined for that of the options. */
  #socket: number | undefined;
  #lines: readonly string[] | undefined;
  #shortLives = 0;
  #stopping = false;
  #exitCode = 0;

  constructor(supervision: Supervision, end: (exitCode: number) => void) {
    this.#supervision = supervision;
    this.#end = end;
  }

  begin(): void {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        this.#supervision.log.write("info", "stop", `stops on ${signal}`, { cause: signal });
        this.#stop(0);
      });
    }
    process.on("SIGHUP", () => this.#reload());
    // One worker first: only it reports a start error, and it does what is to be done once before the others start.
    this.#start({ isFirst: true });
  }

  readonly ask: AskWorkers = (question) => this.#questions.ask(this.#ready, { kind: "question", question });

  #start({ isFirst }: Pick<WorkerOrders, "isFirst">): void {
    const { writer } = this.#supervision;
    const orders: WorkerOrders = {
      isFirst,
      port: isFirst ? undefined : this.#socket,
      sessionKey: this.#sessionKey,
      sharesWriter: writer !== undefined,
    };
    const worker = cluster.fork({ [ordersVariable]: JSON.stringify(orders) });
    this.#workers.add(worker);
    const leaveWriter = writer?.join(linkTo(worker));
    let isYoung = true;
    let youth: NodeJS.Timeout | undefined;
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "answer") this.#questions.receive(message);
      if (message.kind === "follow-ends" || message.kind === "session-end") {
        void this.#sessionEnds.receive(worker, message);
      }
      if (message.kind !== "ready") return;
      // From now on, since a start may take long on a busy machine.
      youth = setTimeout(() => {
        isYoung = false;
        this.#shortLives = 0;
      }, shortLife);
      this.#serves(worker, orders, message);
    });
    worker.once("exit", (code: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(youth);
      leaveWriter?.();
      this.#sessionEnds.leave(worker);
      this.#workers.delete(worker);
      this.#ready.delete(worker);
      this.#toReload.delete(worker);
      // The shared socket is closed then, and port 0 of the options would now be another port.
      if (this.#ready.size === 0) this.#socket = this.#port;
      if (this.#stopping) return this.#endWithoutWorkers();
      if (code !== 0 && isYoung) this.#shortLives++;
      this.#replace(`worker ${worker.process.pid} ended (${signal ?? `exit code ${code}`})`, code);
    });
  }

  #serves(worker: WorkerProcess, orders: WorkerOrders, { port, lines }: WorkerReady): void {
    this.#port ??= port;
    if (port !== this.#port) {
      // All workers that it should share a socket with ended before it listened.
      worker.process.kill("SIGTERM");
      return;
    }
    this.#socket = orders.port;
    this.#ready.add(worker);
    if (this.#toReload.delete(worker)) worker.process.kill("SIGHUP");
    if (this.#stopping) {
      askToStop(worker);
      return;
    }
    this.#supervision.print(`worker ${worker.process.pid} serves`);
    if (orders.isFirst) {
      this.#lines = lines;
      for (let others = 1; others < this.#supervision.count; others++) this.#startAnother();
    }
    if (this.#lines === undefined || this.#ready.size < this.#supervision.count) return;
    this.#supervision.print(this.#lines.join("\n"));
    this.#lines = undefined;
  }

  /** @param ended which worker did, and how; the exit code is null when a signal ended it */
  #replace(ended: string, exitCode: number | null): void {
    if (this.#port === undefined) {
      // A worker with an exit code has printed why.
      if (exitCode === null) this.#logEnd("error", `${ended} before it served`);
      this.#stop(exitCode || 1);
    } else if (this.#shortLives >= mostShortLives) {
      this.#logEnd("error", `${ended}, as did ${mostShortLives - 1} before it as soon as they were started`);
      this.#stop(1);
    } else {
      this.#logEnd("warn", `${ended}, and another one takes its place`);
      this.#startLater();
    }
  }

  #startAnother(): void {
    this.#start({ isFirst: false });
  }

  /** Starts another worker: at once after one that ran for a while, later and later after short lives. */
  #startLater(): void {
    const delay = this.#shortLives === 0 ? 0 : 100 * 2 ** (this.#shortLives - 1);
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.#startAnother();
    }, delay);
    this.#restarts.add(restart);
  }

  #reload(): void {
    for (const worker of this.#workers) {
      if (this.#ready.has(worker)) worker.process.kill("SIGHUP");
      else this.#toReload.add(worker);
    }
  }

  #stop(exitCode: number): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#exitCode = exitCode;
    for (const restart of this.#restarts) clearTimeout(restart);
    for (const worker of this.#workers) {
      if (this.#ready.has(worker)) askToStop(worker);
      else worker.process.kill("SIGTERM");
    }
    const kill = (): void => {
      for (const worker of this.#workers) worker.process.kill("SIGKILL");
    };
    setTimeout(kill, this.#supervision.grace + timeToClose).unref();
    this.#endWithoutWorkers();
  }

  #endWithoutWorkers(): void {
    if (this.#workers.size === 0) this.#end(this.#exitCode);
  }

  #logEnd(level: "warn" | "error", message: string): void {
    this.#supervision.log.write(level, "worker-end", message);
  }
}

/** Errors are ignored: a worker that has ended meanwhile emits its exit. */
const sendTo = (worker: WorkerProcess, message: SupervisorMessage): void => void worker.send(message, () => undefined);

const askToStop = (worker: WorkerProcess): void => sendTo(worker, { kind: "stop" });

const linkTo = (worker: WorkerProcess): MessageLink => ({
  send: (message) => sendTo(worker, { kind: "writer", message }),
  onMessage(receive) {
    worker.on("message", (message: WorkerMessage) => {
      if (message.kind === "writer") receive(message.message);
    });
  },
});
