import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { ResponseReader } from "./response-reader.ts";

/** Requests that are sent when they are due, whether those before them have been answered or not. */
export interface Offer {
  /** Of the server, on this machine. */
  readonly port: number;
  /** The request as it goes over the connection. */
  readonly message: string;
  readonly perSecond: number;
  /** When they are due: at a steady rate, or by chance, as those of many people are (Poisson). Default: steady. */
  readonly arrivals?: "steady" | "by chance";
  readonly seconds: number;
  /** How long a client waits for its answer before it goes away, in milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/** What became of the requests. */
export interface Outcome {
  /** Those that were sent. */
  readonly sent: number;
  /** How long each took that was answered 200 in time, from when it was due, in milliseconds. */
  readonly good: readonly number[];
  /** The same of those that were answered 503 in time. */
  readonly refused: readonly number[];
}

/**
 * Sends requests over connections that are kept, as many as it takes; a client that goes away closes its connection. Written
 * on bare sockets: through `node:http` it would be slower than the servers that it is to press.
 *
 * @throws Error when an answer is neither 200 nor 503
 */
export async function offer(load: Offer): Promise<Outcome> {
  const { port, message, perSecond, arrivals, seconds, patience, signal } = load;
  const gap = (): number => ((arrivals === "by chance" ? -Math.log(1 - Math.random()) : 1) * 1000) / perSecond;
  const outcome = { sent: 0, good: [] as number[], refused: [] as number[] };
  const idle: Client[] = [];
  const waiting = new Set<Client>();
  let wrong: number | undefined;
  const settle = (client: Client, status: number): void => {
    waiting.delete(client);
    idle.push(client);
    const took = performance.now() - client.asked;
    // This process may have been too busy to see when its patience was over.
    if (took > patience) return;
    if (status === 200) outcome.good.push(took);
    else if (status === 503) outcome.refused.push(took);
    else wrong = status;
  };
  const expire = (): void => {
    const now = performance.now();
    // In the order in which they asked.
    for (const client of waiting) {
      if (now - client.asked < patience) break;
      waiting.delete(client);
      client.close();
    }
  };
  const begun = performance.now();
  try {
    let due = begun;
    while (performance.now() < begun + seconds * 1000) {
      for (; due <= performance.now(); due += gap()) {
        outcome.sent++;
        const client = takeOpen(idle) ?? (waiting.size < mostConnections ? new Client(port, settle) : undefined);
        if (client === undefined) continue;
        waiting.add(client);
        client.ask(message, due);
      }
      expire();
      // No timer: it would come a millisecond late.
      await turn(undefined, { signal });
    }
    while (waiting.size > 0) {
      expire();
      await turn(undefined, { signal });
    }
    if (wrong !== undefined) throw new Error(`The server answers ${wrong}`);
    return outcome;
  } finally {
    for (const client of [...idle, ...waiting]) client.close();
  }
}

/** Fewer than a server of ours takes, and than one address has ports for; who finds none has no answer. */
const mostConnections = 9_000;

/** The connection that was used last, so that as few are in use as will do. */
function takeOpen(idle: Client[]): Client | undefined {
  for (;;) {
    const client = idle.pop();
    if (client === undefined || client.open) return client;
  }
}

/** A connection, and on it one request at a time. */
class Client {
  /** When its request was due. */
  asked = 0;
  readonly #socket: Socket;

  constructor(port: number, settle: (client: Client, status: number) => void) {
    this.#socket = connect(port, "127.0.0.1");
    const reader = new ResponseReader();
    this.#socket.on("data", (piece) => {
      const status = reader.read(piece as Buffer); // no encoding was set
      if (status !== undefined) settle(this, status);
    });
    // One that breaks has no answer in time.
    this.#socket.on("error", () => undefined);
  }

  get open(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  ask(message: string, due: number): void {
    this.asked = due;
    this.#socket.write(message, "latin1");
  }

  close(): void {
    // So that its port can be used again at once.
    this.#socket.resetAndDestroy();
  }
}
