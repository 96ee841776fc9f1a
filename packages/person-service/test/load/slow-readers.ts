import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type ServiceProcess, smallHeap, startServiceWith } from "../tools/programs/service-process.ts";
import { residentMemory } from "./streaming.ts";

/** What clients that do not read got, and what they cost. */
export interface SlowReaderReport {
  /** How many were answered with each status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The memory of the service while all of them held their answers, beyond what it was when idle, in bytes. */
  readonly growth: number;
}

/**
 * Opens this many connections to a service on the file that ask for a list and read nothing of it. Checks that others are
 * served meanwhile, and that the service ends in order.
 *
 * @param mayBeRefused whether there are too many; otherwise each asks again when it is refused for the crowd of a moment
 */
export async function holdLists(
  file: string,
  target: string,
  connections: number,
  mayBeRefused = false,
): Promise<SlowReaderReport> {
  await using service = await startServiceWith(smallHeap, "--database", file);
  await fetch(`${service.url}/person?limit=10`).then((answer) => answer.text());
  const idle = residentMemory(service.pid);
  const begin = (): Promise<IncomingMessage> => beginReading(service.url + target, mayBeRefused);
  const held = await Promise.all(Array.from({ length: connections }, begin));
  const growth = residentMemory(service.pid) - idle;
  await greeted(service);
  const statuses: Record<number, number> = {};
  for (const { statusCode = 0 } of held) statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
  for (const answer of held) answer.destroy();
  service.kill("SIGTERM");
  const { code, stderr } = await service.exited;
  assert.deepEqual([code, stderr], [0, ""]);
  return { statuses, growth };
}

/** Asks for the greeting until it is not refused for the crowd that came just now. */
async function greeted({ url }: ServiceProcess): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/hello-world`);
    const text = await answer.text();
    if (answer.status === 503) continue;
    assert.equal(text, "Hello World");
    return;
  }
}

/** Returns the answer once its head has come; no more of it is read than fits in the buffers on the way. */
async function beginReading(url: string, mayBeRefused: boolean): Promise<IncomingMessage> {
  for (;;) {
    const request = get(url, { agent: false });
    const [answer] = (await once(request, "response")) as [IncomingMessage]; // the event has one argument
    answer.on("error", () => undefined); // it is destroyed before its end
    if (answer.statusCode !== 503 || mayBeRefused) return answer;
    answer.destroy();
  }
}
