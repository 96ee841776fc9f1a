import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { residentMemory } from "../load/streaming.ts";
import type { DatabaseKind } from "../tools/databases.ts";
import { smallHeap, startServiceWith } from "../tools/programs/service-process.ts";

/** The formats of many people, with what each person is in it; `number` is from 1. */
export const importFormats: readonly [ImportFormat, ImportFormat] = [
  {
    type: "application/x-ndjson",
    header: "",
    line: (number, description) => `{"name":"Person ${number}","description":"${description}"}\n`,
  },
  {
    type: "text/csv",
    header: "name,description\r\n",
    line: (number, description) => `Person ${number},"${description}"\r\n`,
  },
];

export interface ImportFormat {
  readonly type: string;
  readonly header: string;
  readonly line: (number: number, description: string) => string;
}

/** What an import took, in bytes. */
export interface ImportReport {
  readonly sent: number;
  /** The most memory that was resident while it was sent and stored, beyond what was when the service was idle. */
  readonly growth: number;
}

/**
 * Sends so many people to a service of its own, whose heap is small and which has taken some before. Checks that all of them
 * are stored.
 */
export async function importPeople(
  createDatabase: DatabaseKind["create"],
  format: ImportFormat,
  count: number,
  descriptionLength: number,
  preference?: string,
): Promise<ImportReport> {
  const { type } = format;
  const pieces = (length: number): Iterable<string> => peopleIn(format, length, descriptionLength);
  const measured = { type, preference, warmUp: pieces(warmUpCount), pieces: pieces(count) };
  return measureImport(createDatabase, measured, async ({ answer, url }) => {
    assert.equal(answer, `{"stored":${count},"refused":0,"errors":[]}`);
    assert.equal((await fetch(`${url}/person/${warmUpCount + count}`)).status, 200);
    assert.equal((await fetch(`${url}/person/${warmUpCount + count + 1}`)).status, 404);
  });
}

/** After these whatever writes has the memory that it needs for any number. */
const warmUpCount = 5000;

/** The text of people, in pieces of about 64 KiB. */
function* peopleIn({ header, line }: ImportFormat, count: number, descriptionLength: number): Generator<string> {
  const description = "Zoë says: lists are streamed, both ways. ".repeat(200).slice(0, descriptionLength).trimEnd();
  let piece = header;
  for (let number = 1; number <= count; number++) {
    piece += line(number, description);
    if (piece.length < 65_536) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** What a service answered to an import, and where it is. */
export interface Imported {
  readonly answer: string;
  readonly url: string;
}

/** Content whose import is measured. */
export interface MeasuredContent {
  readonly type: string;
  readonly preference?: string | undefined;
  /** Content that is sent before, and must be taken. */
  readonly warmUp?: Iterable<string>;
  readonly pieces: Iterable<string>;
}

/** Sends content to a service of its own, whose heap is small, and has the answer judged. */
export async function measureImport(
  createDatabase: DatabaseKind["create"],
  { type, preference, warmUp, pieces }: MeasuredContent,
  judge: (imported: Imported) => Promise<void>,
): Promise<ImportReport> {
  const database = await createDatabase();
  try {
    await using service = await startServiceWith(smallHeap, "--database", database.location);
    assert.equal((await fetch(`${service.url}/person/1`)).status, 404);
    if (warmUp !== undefined) {
      const sending = beginImport(service.url, type, preference);
      const answered = answerTo(sending);
      await pipeline(Readable.from(warmUp), sending);
      assert.equal((await answered).status, 200);
    }
    const idle = residentMemory(service.pid);
    let [sent, peak] = [0, idle];
    const sample = () => {
      peak = Math.max(peak, residentMemory(service.pid));
    };
    const sending = beginImport(service.url, type, preference);
    const answered = answerTo(sending);
    const watched = function* (): Generator<string> {
      for (const piece of pieces) {
        sent += Buffer.byteLength(piece);
        sample();
        yield piece;
      }
    };
    await pipeline(Readable.from(watched()), sending);
    // While it is stored others are answered, which gives the time to look.
    let isAnswered = false;
    const settled = answered.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      assert.equal((await fetch(`${service.url}/hello-world`)).status, 200);
      sample();
    }
    const { body } = await settled;
    await judge({ answer: body, url: service.url });
    return { sent, growth: peak - idle };
  } finally {
    await database.remove();
  }
}

/** A POST of many people whose content is still to be written. */
export function beginImport(url: string, type: string, preference?: string): ClientRequest {
  const headers = { "Content-Type": type, ...(preference !== undefined && { Prefer: preference }) };
  return request(`${url}/person`, { method: "POST", headers });
}

export async function answerTo(sending: ClientRequest): Promise<{ readonly status: number; readonly body: string }> {
  // The event has one argument.
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}
