import cluster, { type Worker as WorkerProcess } from "node:cluster";
import { randomBytes } from "node:crypto";
import { isSea } from "node:sea";
import type { RunningServer } from "waymark/node";
import type { Log } from "../log/log.ts";

interface Supervision {
  /** How many processes serve. */
  readonly count: number;
  /** How long requests in hand may take when all processes stop, in milliseconds. */
  readonly grace: number;
  /** Prints a line on standard output. */
  readonly print: (line: string) => void;
  readonly log: Pick<Log, "write">;
  /** Opens what answers for all workers, which it can ask. */
  readonly openAdmin?: ((ask: AskWorkers) => Promise<Pick<RunningServer, "close">>) | undefined;
}

/** What a worker can be asked. */
export type WorkerQuestion = "metrics" | "health";

/** Asks every worker that serves, and resolves with the answers; a worker that does not answer within a second is left out. */
export type AskWorkers = (question: WorkerQuestion) => Promise<readonly unknown[]>;

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
  if (isSea()) cluster.setupPrimary({ exec: "serve", args: command === "serve" ? rest : process.argv.slice(2) });
  const { promise, resolve } = Promise.withResolvers<number>();
  const supervisor = new Supervisor(supervision, resolve);
  const admin = await supervision.openAdmin?.((question) => supervisor.ask(question));
  supervisor.begin();
  const exitCode = await promise;
  await admin?.close();
  return exitCode;
}

/** A worker that ends sooner than this, in milliseconds, may not be able to run at all. */
const shortLife = 5000;

/** After this many short lives in a row the program ends. */
const mostShortLives = 5;

/** How long closing the database may take beyond the grace, in milliseconds, before a worker is killed. */
const timeToClose = 5000;

/** In milliseconds. */
const timeToAnswer = 1000;

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
  readonly #answers = new Map<number, (answer: unknown) => void>();
  #lastQuestion = 0;
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
    // One worker first: it alone reports a start error, and has done what is done once when the others start.
    this.#start({ isFirst: true, port: undefined, sessionKey: this.#sessionKey });
  }

  async ask(question: WorkerQuestion): Promise<readonly unknown[]> {
    const answers = await Promise.all([...this.#ready].map((worker) => this.#askOne(worker, question)));
    return answers.filter((answer) => answer !== undefined);
  }

  async #askOne(worker: WorkerProcess, question: WorkerQuestion): Promise<unknown> {
    const id = ++this.#lastQuestion;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => resolve(undefined), timeToAnswer);
    this.#answers.set(id, resolve);
    worker.send({ kind: "question", id, question } satisfies AskedQuestion, () => undefined);
    const answer = await promise;
    clearTimeout(timer);
    this.#answers.delete(id);
    return answer;
  }

  #start(orders: WorkerOrders): void {
    const worker = cluster.fork({ [ordersVariable]: JSON.stringify(orders) });
    this.#workers.add(worker);
    let isYoung = true;
    let youth: NodeJS.Timeout | undefined;
    worker.on("message", (message: WorkerReady | WorkerAnswer) => {
      if (message.kind === "ready") {
        // From now on, since a start may take long on a busy machine.
        youth = setTimeout(() => {
          isYoung = false;
          this.#shortLives = 0;
        }, shortLife);
        this.#serves(worker, orders, message);
      } else this.#answers.get(message.id)?.(message.answer);
    });
    worker.once("exit", (code: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(youth);
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
      // The workers whose socket it should share all ended before it listened.
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
    this.#start({ isFirst: false, port: this.#socket, sessionKey: this.#sessionKey });
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
const askToStop = (worker: WorkerProcess): void => void worker.send(stopMessage, () => undefined);

/** This process as a worker of a supervisor. */
export interface Worker extends WorkerOrders {
  /** Reports to the supervisor that this process serves on the port, with the lines to print. */
  tellReady(port: number, lines: readonly string[]): void;
  /** Sets what answers the questions of the supervisor. */
  onQuestion(answer: (question: WorkerQuestion) => Promise<unknown>): void;
  /** Sets what stops the service, after which the process ends. The notice is that of `RunningServer.close`. */
  onStop(stop: (cause: string, notice: number) => Promise<void>): void;
}

/** What a supervisor hands to a worker that it starts. */
interface WorkerOrders {
  /** Whether it is the first worker, which does what is done once. */
  readonly isFirst: boolean;
  /** The port to listen on; undefined for that of the options. */
  readonly port: number | undefined;
  /** What seals the sessions of browsers, in base64. */
  readonly sessionKey: string;
}

/** A question of the supervisor. */
interface AskedQuestion {
  readonly kind: "question";
  readonly id: number;
  readonly question: WorkerQuestion;
}

interface WorkerAnswer {
  readonly kind: "answer";
  readonly id: number;
  readonly answer: unknown;
}

/** The message of a worker that serves. */
interface WorkerReady {
  readonly kind: "ready";
  readonly port: number;
  readonly lines: readonly string[];
}

/** The name of the environment variable that has the orders, as JSON. */
const ordersVariable = "WORKER_OF_PERSON_SERVICE";

/** The message by which a supervisor stops a worker. */
const stopMessage = "stop";

/**
 * How long a worker that stops while others serve still accepts connections, in milliseconds: an open connection is closed by the
 * answer to its next request, and not while that is sent.
 */
const noticeAlone = 1000;

function send(message: WorkerReady | WorkerAnswer): void {
  process.send?.(message); // without a channel there is no supervisor any more, and soon no worker
}

/** Returns this process as a worker; undefined where no supervisor has started it. */
export function workerOfThisProcess(): Worker | undefined {
  const orders = process.env[ordersVariable];
  if (!cluster.isWorker || orders === undefined) return undefined;
  const { isFirst, port, sessionKey }: WorkerOrders = JSON.parse(orders);
  return {
    isFirst,
    port,
    sessionKey,
    tellReady: (listening, lines) => send({ kind: "ready", port: listening, lines }),
    onQuestion(answer) {
      process.on("message", (message: AskedQuestion | string) => {
        if (typeof message === "string") return;
        const { id, question } = message;
        answer(question).then((answered) => send({ kind: "answer", id, answer: answered }));
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
      process.on("message", (message) => {
        if (message === stopMessage) void end("order of the supervisor", 0);
      });
    },
  };
}
