import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as elapse } from "node:timers/promises";
import type { SentRecord } from "../tools/answers.ts";
import type { DatabaseKind, TestDatabase } from "../tools/databases.ts";
import { type ServiceProcess, startService } from "../tools/programs/service-process.ts";

/** What the rounds came to. */
export interface CrashReport {
  readonly rounds: number;
  /** How many people were acknowledged, and so had to be there. */
  readonly acknowledged: number;
  /** How many were in hand when the service was killed: stored, and not. */
  readonly unacknowledged: { readonly stored: number; readonly lost: number };
}

/**
 * Kills a person-service with SIGKILL at random moments while several clients store people, starts it again on the same
 * database, and checks what is there: each person who was acknowledged, once and with the id that its client got; of the others each
 * once or not at all; each of them whole; and no id that anybody had before.
 *
 * @param rounds how often the service is killed; every fifty rounds it gets a new database
 */
export async function survivesCrashes(kind: DatabaseKind, rounds: number): Promise<CrashReport> {
  const total = { rounds, acknowledged: 0, unacknowledged: { stored: 0, lost: 0 } };
  for (let left = rounds; left > 0; left -= roundsPerDatabase) {
    const database = await kind.create();
    try {
      const { acknowledged, found, lost } = await crashRepeatedly(database, Math.min(left, roundsPerDatabase));
      total.acknowledged += acknowledged;
      total.unacknowledged.stored += found;
      total.unacknowledged.lost += lost;
    } finally {
      await database.remove();
    }
  }
  return total;
}

const roundsPerDatabase = 50;
/** So many that commits are shared by several of them. */
const clients = 16;
/** A round lasts until so many people are acknowledged, at random, and then for so many milliseconds. */
const atMost = { acknowledged: 40, lingering: 5 };

async function crashRepeatedly(database: TestDatabase, rounds: number): Promise<Ledger> {
  const ledger = new Ledger();
  const start = (): Promise<ServiceProcess> => startService("--database", database.location);
  let service = await start();
  try {
    for (let round = 1; round <= rounds; round++) {
      await crash(service, ledger);
      service = await start();
      ledger.reconcile(await list(service));
      database.assertIntact?.();
    }
  } finally {
    await service[Symbol.asyncDispose]();
  }
  return ledger;
}

/** Has people stored, and kills the service while they are. */
async function crash(service: ServiceProcess, ledger: Ledger): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let left = Math.floor(Math.random() * atMost.acknowledged);
  const onAcknowledged = (): void => {
    if (left-- === 0) enough.resolve();
  };
  const writing = Promise.all(Array.from({ length: clients }, () => storePeople(service, ledger, onAcknowledged)));
  await Promise.race([enough.promise, writing]);
  await elapse(Math.random() * atMost.lingering);
  service.kill("SIGKILL");
  const { signal, stderr } = await service.exited;
  assert.deepEqual([signal, stderr], ["SIGKILL", ""]);
  await writing;
}

async function list({ url }: ServiceProcess): Promise<readonly SentRecord[]> {
  const answer = await fetch(`${url}/person`);
  return JSON.parse(await answer.text());
}

/** Stores one person after another over one connection, until that breaks. */
async function storePeople(service: ServiceProcess, ledger: Ledger, onAcknowledged: () => void): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    while (true) {
      const person = ledger.next();
      const location = await post(service, agent, JSON.stringify(person));
      if (location === undefined) return;
      ledger.acknowledge(person.identifier, location);
      onAcknowledged();
    }
  } finally {
    agent.destroy();
  }
}

/** The Location of the person, once the answer is there to the end; undefined when the connection broke before. */
function post({ port }: ServiceProcess, agent: Agent, body: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const sent = request({ host: "127.0.0.1", port, agent, method: "POST", path: "/person", headers });
    sent.once("error", () => resolve(undefined));
    sent.once("response", (response) => {
      const { statusCode, headers: fields } = response;
      text(response).then(
        (content) => {
          if (statusCode === 200 && fields.location !== undefined) resolve(fields.location);
          else reject(new Error(`A person was answered with ${statusCode} ${content}`));
        },
        () => resolve(undefined),
      );
    });
    sent.end(body);
  });
}

/** A person who is sent; the identifier distinguishes it from the others. */
interface NumberedPerson {
  readonly name: string;
  readonly description: string;
  readonly identifier: string;
}

/** Who was sent to the services on one database, and what is known of each. */
class Ledger {
  acknowledged = 0;
  /** Stored, though no client got an answer. */
  found = 0;
  lost = 0;
  /** Sent, and not answered. */
  readonly #pending = new Map<string, NumberedPerson>();
  /** Stored, as their clients or a list said. */
  readonly #stored = new Map<string, { readonly person: NumberedPerson; readonly id: number }>();
  #serial = 0;
  #greatestId = 0;

  /** A new person, who is sent now. */
  next(): NumberedPerson {
    const identifier = `person ${++this.#serial}`;
    // Of different lengths, so that records lie across the pages of the file in many ways.
    const description = `${identifier}, `.repeat((this.#serial * 37) % 120);
    const person = { name: `Zoë ${this.#serial}`, description: description.trimEnd(), identifier };
    this.#pending.set(identifier, person);
    return person;
  }

  acknowledge(identifier: string, location: string): void {
    const person = this.#pending.get(identifier);
    assert.ok(person !== undefined);
    const id = Number(/^\/person\/([1-9]\d*)$/.exec(location)?.[1]);
    assert.ok(id > this.#greatestId, `${location} was assigned when ${this.#greatestId} had been`);
    this.#pending.delete(identifier);
    this.#stored.set(identifier, { person, id });
    this.acknowledged++;
  }

  /** Compares what is there after a crash with what is known, and takes note of it. */
  reconcile(people: readonly SentRecord[]): void {
    const missing = new Map(this.#stored);
    const ids = new Set<number>();
    for (const { id, createdAt, updatedAt, ...members } of people) {
      const identifier = String(members["identifier"]);
      assert.ok(!ids.has(id), `the id ${id} is there twice`);
      ids.add(id);
      const person = this.#pending.get(identifier);
      const known = missing.get(identifier) ?? (person && this.#find(id, person));
      assert.ok(known !== undefined, `${identifier} is there twice, or nobody sent it`);
      assert.equal(id, known.id, `${identifier} has another id than its client got`);
      assert.deepEqual(members, known.person);
      assert.match(`${createdAt} ${updatedAt}`, /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) \1$/);
      missing.delete(identifier);
    }
    assert.deepEqual([...missing.keys()], [], "people who were acknowledged are gone");
    this.#greatestId = Math.max(this.#greatestId, ...ids);
    this.lost += this.#pending.size;
    this.#pending.clear();
  }

  #find(id: number, person: NumberedPerson): { readonly person: NumberedPerson; readonly id: number } {
    assert.ok(id > this.#greatestId, `${id} was assigned when ${this.#greatestId} had been`);
    const known = { person, id };
    this.#pending.delete(person.identifier);
    this.#stored.set(person.identifier, known);
    this.found++;
    return known;
  }
}
