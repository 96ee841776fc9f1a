import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Requests that are sent at a steady rate, whether those before them have been answered or not. */
export interface Offer {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** How long a client waits for its answer before it goes away, in milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/** What became of the requests. */
export interface Outcome {
  /** Those that were sent. */
  readonly sent: number;
  /** Answered 200 in time. */
  readonly good: number;
  /** Answered 503 in time. */
  readonly refused: number;
}

/**
 * Sends requests over connections that are kept, as many as it takes; a client that goes away closes its connection.
 *
 * @throws Error when an answer is neither 200 nor 503
 */
export async function offer({ url, perSecond, seconds, patience, signal }: Offer): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true });
  const outcomes: Promise<number | undefined>[] = [];
  const begun = performance.now();
  try {
    for (let passed = 0; passed < seconds * 1000; passed = performance.now() - begun) {
      while (outcomes.length < (passed / 1000) * perSecond) outcomes.push(ask(url, agent, patience));
      await sleep(1, undefined, { signal });
    }
    const statuses = await Promise.all(outcomes);
    const wrong = statuses.find((status) => status !== undefined && status !== 200 && status !== 503);
    if (wrong !== undefined) throw new Error(`${url} answers ${wrong}`);
    const count = (wanted: number): number => statuses.filter((status) => status === wanted).length;
    return { sent: statuses.length, good: count(200), refused: count(503) };
  } finally {
    agent.destroy();
  }
}

/** The status of the answer; undefined when it did not come in time. */
function ask(url: string, agent: Agent, patience: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const message = request(url, { agent });
    const timer = setTimeout(() => message.destroy(), patience);
    const settle = (status: number | undefined): void => {
      clearTimeout(timer);
      resolve(status);
    };
    message.once("response", (response) => response.resume().once("end", () => settle(response.statusCode)));
    message.once("error", () => undefined);
    message.once("close", () => settle(undefined));
    message.end();
  });
}
