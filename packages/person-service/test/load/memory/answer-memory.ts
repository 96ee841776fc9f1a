import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { setTimeout as elapse, setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serve } from "@waymark/node";
import { openPersonService, type PersonService } from "@waymark/person-service";
import { Http2Client } from "../../../../node/test/http2/http2-client.ts";
import { tls } from "../../../../node/test/http2/http2-frames.ts";
import { RawConnection, type RawResponse } from "../../../../node/test/tools/raw-connection.ts";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { createApiKey, hashApiKey } from "../../../src/access/files/api-key.ts";
import { type ServiceProcess, startService } from "../../tools/programs/service-process.ts";

/** How much is compared. */
export interface Amount {
  readonly protocol: "HTTP/1.1" | "HTTP/2";
  /** Answers that are compared with those of the ordinary way. */
  readonly comparisons: number;
  readonly readers: number;
  /** How often the keys are changed and the files read again. */
  readonly disturbances: number;
}

/** What was compared. */
export interface Compared {
  /** Answers whose bytes were those of the ordinary way. */
  readonly equal: number;
  /** Answers in between two others of the ordinary way, which a change had come between. */
  readonly between: number;
  readonly writes: number;
}

/**
 * Compares the answers of a service with a memory with those of the ordinary way: another program that reads the same file, before
 * and after. Meanwhile people are changed, through the service and by the other program; and keys are revoked, and allowed again.
 *
 * @throws AssertionError when an answer differs from those around it, is older than what was acknowledged, or is let through to a
 *   key that was revoked
 */
export async function compareWithOrdinaryWay({
  protocol,
  comparisons,
  readers,
  disturbances,
}: Amount): Promise<Compared> {
  const folder = openFolder("answer-memory");
  const [database, accessFile, keyFile] = [folder.newFile(), folder.newFile(), folder.newFile()];
  const [key, revocable] = [createApiKey(), createApiKey()];
  const scopes = ["person:read", "person:write"];
  const allow = async (...keys: readonly string[]): Promise<void> => {
    const stored = keys.map((each, i) => ({
      name: `key-${i}`,
      hash: hashApiKey(each),
      scopes,
      createdAt: "2026-01-01T00:00:00Z",
    }));
    await writeFile(keyFile, JSON.stringify({ keys: stored }));
  };
  await writeFile(accessFile, JSON.stringify({ rules: [{ path: "/**", scopes: ["person:read"] }] }));
  await allow(key, revocable);

  const isSecure = protocol === "HTTP/2";
  const ordinary = await openPersonService({ database, https: isSecure });
  for (let i = 0; i < people; i++) await ordinary.people.create({ name: `Ada ${i}`, jobTitle: `Größe ${i}` });
  const ordinaryServer = await serve(ordinary.app, { port: 0, tls: isSecure ? tls : undefined });
  // A busy machine must not have requests refused.
  const files = ["--access", accessFile, "--keys", keyFile, "--max-delay", "60000"];
  const secure = isSecure ? ["--tls-cert", fixture("cert"), "--tls-key", fixture("key")] : [];
  const service = await startService("--database", database, ...files, ...secure);
  const connect = (port: number): Client => (isSecure ? new ClientOfHttp2(port) : new ClientOfHttp1(port));
  const counts = { equal: 0, between: 0, writes: 0 };
  let isOver = false;

  /** Compares heads, on connections that stay open. */
  const read = async (reader: number): Promise<void> => {
    const [truth, asked] = [connect(ordinaryServer.port), connect(service.port)];
    while (!isOver && counts.equal + counts.between < comparisons) {
      // Few heads are asked for often, as in real life.
      const head = heads[Math.floor(heads.length * Math.random() ** 3)] as Head;
      const before = await truth.ask(head);
      const answer = await asked.ask(head, key);
      const after = await truth.ask(head);
      counts[judge(before, answer, after, `reader ${reader}: ${head.line} ${head.fields.join()}`)]++;
    }
    truth.close();
    asked.close();
  };

  /** Changes people, and reads each back over another connection. */
  const write = async (writer: number): Promise<void> => {
    const [changing, reading] = [connect(service.port), connect(service.port)];
    for (let change = 0; !isOver; change++) {
      const id = 1 + writer + 2 * ((change * 7) % (people / 2)); // one of its own people
      const name = `Ada ${writer} ${change}`;
      if (change % 3 === 0) {
        const outcome = await ordinary.people.replace(id, { name });
        if (outcome.kind !== "replaced") continue;
      } else {
        const body = JSON.stringify({ name });
        const fields = ["Content-Type: application/json", `Content-Length: ${body.length}`];
        const changed = await changing.ask({ line: `PUT /person/${id}`, fields }, key, body);
        if (changed.status !== 204) continue;
      }
      counts.writes++;
      const answer = await reading.ask({ line: `GET /person/${id}`, fields: [] }, key);
      assert(answer.body.includes(`"${name}"`), `person ${id} is older than its change`);
      // Between changes, answers are kept.
      for (let turns = 0; turns < 50 * (1 + (change % 5)); turns++) await turn();
    }
    changing.close();
    reading.close();
  };

  /** Allows a key, and takes it away. */
  const disturb = async (): Promise<void> => {
    for (let round = 0; round < disturbances; round++) {
      while (counts.equal + counts.between < (comparisons * round) / disturbances && !isOver) await elapse(50);
      if (isOver) return;
      for (const [isAllowed, keys] of [
        [true, [key, revocable]],
        [false, [key]],
      ] as const) {
        await allow(...keys);
        const read = service.untilPrinted(/read the access rules again/);
        service.kill("SIGHUP");
        await read;
        for (let i = 0; i < 20; i++) {
          const client = connect(service.port);
          // The greeting stays in memory, whatever is changed.
          for (const head of [greeting, ...heads.slice(0, 4)]) {
            const { status } = await client.ask(head, revocable);
            // Too many attempts with a bad key are 429.
            const isRefused = status === 401 || status === 429;
            assert.equal(isRefused, !isAllowed, `${status} for a key that is ${isAllowed ? "allowed" : "revoked"}`);
          }
          client.close();
        }
      }
    }
  };

  const writing = Promise.all([write(0), write(1)]);
  try {
    await Promise.race([
      Promise.all([disturb(), ...Array.from({ length: readers }, (_, reader) => read(reader))]),
      writing,
      service.exited.then(({ stderr }) => assert.fail(stderr)),
    ]);
    isOver = true;
    await writing;
    return counts;
  } finally {
    isOver = true;
    await close(service, ordinary, () => ordinaryServer.close({ grace: 0 }));
  }
}

async function close(service: ServiceProcess, { database }: PersonService, closeServer: () => Promise<void>) {
  await service[Symbol.asyncDispose]();
  await closeServer();
  await database.close();
}

/** People whom nobody removes. */
const people = 30;

/** A request without content. */
interface Head {
  readonly line: string;
  readonly fields: readonly string[];
}

const greeting: Head = { line: "GET /hello-world", fields: [] };

/** The heads, those that are asked for most first. */
export const heads: readonly Head[] = [
  ["GET /person/1", "Accept: application/json"],
  ["GET /person/2", "Accept: application/json", "Accept-Encoding: gzip, br"],
  ["GET /person?limit=20", "Accept: application/json", "Accept-Encoding: gzip, br"],
  ["GET /person/1", "Accept: application/json", 'If-None-Match: "1-json"'],
  ["HEAD /person/1", "Accept: application/json"],
  ["GET /person?limit=5&sort=-name", "Accept: application/json"],
  ["GET /person?limit=5&fields=name,id", "Accept: application/xml"],
  ["GET /person?q=ada&limit=3", "Prefer: count=exact"],
  ["GET /person?format=csv", "Accept: text/html"],
  ["HEAD /person", "Accept: application/json"],
  ["GET /person/3", "Accept: application/xml"],
  ["GET /person/4?format=vcard"],
  ["GET /person/5", "Accept: application/ld+json"],
  ["GET /person/6?fields=name", "Accept-Encoding: zstd"],
  ["GET /hello-world"],
  ["GET /person/1000"],
  ["GET /person/abc"],
  ["GET /person/7", "Accept: image/png"],
  ...Array.from({ length: people }, (_, i) => [`GET /person/${i + 1}`] as const),
].map(([line = "", ...fields]) => ({ line, fields }));

/** A connection that stays open. */
abstract class Client {
  ask({ line, fields }: Head, key?: string, body = ""): Promise<RawResponse> {
    const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
    return this.send(line, [...fields, ...authorization], body);
  }

  protected abstract send(line: string, fields: readonly string[], body: string): Promise<RawResponse>;
  abstract close(): void;
}

class ClientOfHttp1 extends Client {
  readonly #connection: RawConnection;

  constructor(port: number) {
    super();
    this.#connection = new RawConnection(port);
  }

  protected send(line: string, fields: readonly string[], body: string): Promise<RawResponse> {
    this.#connection.request(line, ...fields);
    if (body !== "") this.#connection.send(body);
    return this.#connection.response(line.startsWith("HEAD") ? "HEAD" : "GET");
  }

  close(): void {
    this.#connection.destroy();
  }
}

class ClientOfHttp2 extends Client {
  readonly #client: Http2Client;

  constructor(port: number) {
    super();
    this.#client = new Http2Client(port);
  }

  protected send(line: string, fields: readonly string[], body: string): Promise<RawResponse> {
    return this.#client.ask(line, fields, body);
  }

  close(): void {
    this.#client.destroy();
  }
}

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));

/** Returns how an answer lies to those before and after it. */
function judge(before: RawResponse, answer: RawResponse, after: RawResponse, what: string): "equal" | "between" {
  const [first, middle, last] = [before, answer, after].map(comparable);
  if (first === last) {
    assert.equal(middle, first, what);
    return "equal";
  }
  if (middle !== first && middle !== last) {
    assert(revisionOf(before) <= revisionOf(answer) && revisionOf(answer) <= revisionOf(after), `${what}\n${middle}`);
  }
  return "between";
}

/** Returns the bytes of an answer without what is another each time: the date, and the id of the request. */
export const comparable = ({ head, body }: RawResponse): string =>
  `${head}\r\n\r\n${body}`
    .replace(/^(?:Date|X-Request-Id): .*\r\n/gim, "")
    .replace(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/g, "id");

/** Returns the revision that an entity tag names, of a person or of all. */
const revisionOf = ({ headers: { etag = "" } }: RawResponse): number => Number(/^"(?:all-)?(\d+)/.exec(etag)?.[1]);
