import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { openDatabase } from "@waymark/collection";
import { type Person, personCollection } from "../../src/index.ts";
import { type ServiceProcess, smallHeap, startServiceWith } from "../tools/programs/service-process.ts";
import { RecordReader } from "../tools/record-reader.ts";

/** Stores people in a new file; their ids are 1 to the count. */
export async function fillWithPeople(file: string, count: number, descriptionLength: number): Promise<void> {
  const database = await openDatabase(file, { collections: [personCollection] });
  try {
    await database.store("person").createAll(manyPeople(count, descriptionLength));
  } finally {
    await database.close();
  }
}

function* manyPeople(count: number, descriptionLength: number): Generator<Person> {
  const description = "Zoë says: lists are streamed. ".repeat(200).slice(0, descriptionLength).trimEnd();
  for (let i = 1; i <= count; i++) yield { name: `Person ${i}`, description, identifier: `number ${i}` };
}

/** What a list took, in bytes. */
export interface StreamReport {
  readonly sent: number;
  /** The most memory that was resident while it was sent, beyond what was when the service was idle. */
  readonly growth: number;
}

/**
 * Has a service list the people in a file, 1 to the count: to one client that reads all, while others begin and read no
 * more, others again go away, and requests of other kinds are answered. Checks that the list is complete.
 */
export async function streamPeople(file: string, count: number): Promise<StreamReport> {
  await using service = await startServiceWith(smallHeap, "--database", file);
  await readOthers(service);
  const idle = residentMemory(service.pid);
  const stalled = await Promise.all(Array.from({ length: 4 }, () => beginList(service)));
  for (let i = 0; i < 20; i++) (await beginList(service)).destroy();

  let [peak, sent, sampled] = [idle, 0, 0];
  const reader = new RecordReader();
  const list = (await beginList(service)).setEncoding("utf8");
  for await (const piece of list) {
    reader.read(piece);
    sent += Buffer.byteLength(piece);
    if (sent - sampled < sampleEvery) continue;
    sampled = sent;
    peak = Math.max(peak, residentMemory(service.pid));
    await readOthers(service);
  }
  reader.end();
  assert.deepEqual([reader.count, reader.lastId], [count, count]);
  for (const answer of stalled) answer.destroy();
  service.kill("SIGTERM");
  const { code, stderr } = await service.exited;
  assert.deepEqual([code, stderr], [0, ""]);
  return { sent, growth: peak - idle };
}

/**
 * Has a service list the people in a file, 1 to the count, as this media type, to a client that reads all. Checks that
 * the last of them is there.
 */
export async function streamPeopleAs(file: string, count: number, mediaType: string): Promise<StreamReport> {
  await using service = await startServiceWith(smallHeap, "--database", file);
  await readOthers(service);
  const idle = residentMemory(service.pid);
  let [peak, sent, sampled, end] = [idle, 0, 0, ""];
  const list = (await beginList(service, mediaType)).setEncoding("utf8");
  for await (const piece of list) {
    sent += Buffer.byteLength(piece);
    // Long enough for the last person, who may be in two pieces.
    end = (end + piece).slice(-8192);
    if (sent - sampled < sampleEvery) continue;
    sampled = sent;
    peak = Math.max(peak, residentMemory(service.pid));
  }
  assert.ok(end.includes(`number ${count}`), end);
  return { sent, growth: peak - idle };
}

/** In bytes of the list. */
const sampleEvery = 2 ** 20;

/** Begins a list; no more of it is read than fits in the buffers on the way. */
export async function beginList(
  { url }: { readonly url: string },
  mediaType = "application/json",
): Promise<IncomingMessage> {
  const request = get(`${url}/person`, { headers: { Accept: mediaType } });
  // The event has one argument.
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Checks that requests beside lists are answered. */
async function readOthers({ url }: ServiceProcess): Promise<void> {
  const [person, greeting] = await Promise.all([fetch(`${url}/person/1`), fetch(`${url}/hello-world`)]);
  assert.equal(JSON.parse(await person.text()).id, 1);
  assert.equal(await greeting.text(), "Hello World");
}

/** What a process has in memory, in bytes. */
export function residentMemory(pid: number): number {
  const status = `/proc/${pid}/status`;
  const kilobytes = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))?.[1]
    : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kilobytes) * 1024;
}
