import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as elapse } from "node:timers/promises";
import type { PostgresServer } from "../../../collection/test/tools/postgres-server.ts";
import type { SentRecord } from "../tools/answers.ts";
import { type ServiceProcess, startService } from "../tools/programs/service-process.ts";

/** What an outage came to; times are in milliseconds. */
export interface OutageReport {
  /** How many people were acknowledged, before, meanwhile and after; each of them was there, once. */
  readonly acknowledged: number;
  /** How many were refused with an unknown outcome, and how many of those were stored. */
  readonly unknown: { readonly sent: number; readonly stored: number };
  /** How many answers there were while the server was away, by method and status. */
  readonly answersMeanwhile: Readonly<Record<string, number>>;
  /** The longest time that a client waited for an answer, outage and all. */
  readonly longestWait: number;
  /** From when the server took connections until the first change was acknowledged and the first person was read. */
  readonly recovery: { readonly change: number; readonly read: number };
}

/** Changes and reads that are in hand at once. */
const clients = 16;
/** So many answers are had before the outage, of clients that find the server away, and after it. */
const least = 100;

/**
 * Stops the server of a service under load, and starts it again. Checks every answer that clients get: what it should be, or a 503
 * that says when to try again and whether anything was changed; and at the end that the database agrees with all of them.
 *
 * @param length how long the server is away at least, in milliseconds
 */
export async function survivesOutage(server: PostgresServer, length: number): Promise<OutageReport> {
  await using service = await startService("--database", await server.createDatabase());
  const ledger = new Ledger();
  const isOver = new AbortController();
  const loading = Array.from({ length: clients }, (_, n) => storeAndRead(service, ledger, `${n}`, isOver.signal));
  const load = Promise.all(loading);
  /** Rejects where a client gets a wrong answer. */
  const underLoad = <T>(event: Promise<T>) => Promise.race([event, load.then(() => assert.fail("the load has ended"))]);

  await underLoad(ledger.has("POST 200", least));
  await server.stop();
  const away = ledger.begin();
  await underLoad(Promise.all([elapse(length), ledger.has("POST 503", least), ledger.has("GET 503", least)]));
  assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
  assert.equal((await fetch(`${service.url}/health/ready`)).status, 503);
  const answersMeanwhile = Object.fromEntries(away);
  await server.start();
  ledger.begin();
  const back = performance.now();
  const until = (event: string): Promise<number> => ledger.has(event, 1).then(() => performance.now() - back);
  const [change, read] = await underLoad(
    Promise.all([until("POST 200"), until("GET 200"), ledger.has("POST 200", least)]),
  );
  isOver.abort();
  await load;
  const stored = ledger.reconcile(await list(service));
  service.kill("SIGTERM");
  const { code, stderr } = await service.exited;
  assert.deepEqual([code, stderr], [0, ""]);
  return {
    acknowledged: ledger.acknowledged.size,
    unknown: { sent: ledger.unknown.size, stored },
    answersMeanwhile,
    longestWait: ledger.longestWait,
    recovery: { change, read },
  };
}

async function storeAndRead(service: ServiceProcess, ledger: Ledger, client: string, isOver: AbortSignal) {
  for (let n = 0; !isOver.aborted; n++) {
    await storePerson(service, ledger, `${client}/${n}`);
    await readPerson(service, ledger);
  }
}

async function storePerson(service: ServiceProcess, ledger: Ledger, identifier: string): Promise<void> {
  const body = JSON.stringify({ name: `Zoë ${identifier}`, identifier });
  const headers = { "Content-Type": "application/json" };
  const answer = await ledger.timed("POST", () => fetch(`${service.url}/person`, { method: "POST", headers, body }));
  if (answer.status === 200) {
    assert.equal(answer.text, "");
    ledger.acknowledged.set(identifier, answer.headers.get("Location") ?? "");
  } else if (mayHaveChanged(answer)) ledger.unknown.add(identifier);
}

/** Somebody who was acknowledged. */
async function readPerson(service: ServiceProcess, ledger: Ledger): Promise<void> {
  const [identifier, location] =
    [...ledger.acknowledged].at(Math.floor(Math.random() * ledger.acknowledged.size)) ?? [];
  if (location === undefined) return;
  const answer = await ledger.timed("GET", () => fetch(`${service.url}${location}`));
  if (answer.status === 200) assert.equal(JSON.parse(answer.text).identifier, identifier);
  else assert.equal(mayHaveChanged(answer), false);
}

async function list({ url }: ServiceProcess): Promise<readonly SentRecord[]> {
  return JSON.parse(await (await fetch(`${url}/person`)).text());
}

interface TimedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Whether a 503, which every other answer is to be, leaves open if anything was changed. */
function mayHaveChanged({ status, headers, text }: TimedAnswer): boolean {
  const { type, detail } = JSON.parse(text);
  assert.deepEqual([status, headers.get("Retry-After"), type], [503, "1", "/problems/store-unavailable"]);
  const isUnknown =
    detail === "The store failed during the change, and the outcome is unknown. Read before you send it again.";
  assert.ok(isUnknown || detail === "The store cannot be used at the moment. Nothing was changed.", detail);
  return isUnknown;
}

/** What clients were answered. */
class Ledger {
  /** The Location of each person by the identifier. */
  readonly acknowledged = new Map<string, string>();
  readonly unknown = new Set<string>();
  longestWait = 0;
  /** How many answers there were, by method and status, in the part of the test that began last. */
  #counts = new Map<string, number>();
  readonly #counted = new EventTarget();

  begin(): ReadonlyMap<string, number> {
    this.#counts = new Map();
    return this.#counts;
  }

  /** Resolves once there were so many of these answers in this part. */
  async has(event: string, count: number): Promise<void> {
    while ((this.#counts.get(event) ?? 0) < count) await once(this.#counted, event);
  }

  async timed(method: string, send: () => Promise<Response>): Promise<TimedAnswer> {
    const start = performance.now();
    const answer = await send();
    const { status, headers } = answer;
    const text = await answer.text();
    this.longestWait = Math.max(this.longestWait, performance.now() - start);
    const event = `${method} ${status}`;
    this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
    this.#counted.dispatchEvent(new Event(event));
    return { status, headers, text };
  }

  /** Compares all that is there with what clients were answered, and returns how many are there of whom no client got an answer. */
  reconcile(people: readonly SentRecord[]): number {
    const missing = new Map(this.acknowledged);
    const unknown = new Set(this.unknown);
    for (const { id, identifier, name } of people) {
      const answered = missing.get(String(identifier));
      if (answered === undefined) assert.ok(unknown.delete(String(identifier)), `${identifier} is there, or is twice`);
      else assert.equal(answered, `/person/${id}`);
      assert.equal(name, `Zoë ${identifier}`);
      missing.delete(String(identifier));
    }
    assert.deepEqual([...missing.keys()], [], "people who were acknowledged are gone");
    return this.unknown.size - unknown.size;
  }
}
