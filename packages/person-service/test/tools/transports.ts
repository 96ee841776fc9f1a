import assert from "node:assert/strict";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, describe } from "node:test";
import { serve } from "@waymark/node";
import type { App } from "waymark";
import { testEngine } from "../../../node/test/tools/test-engine.ts";
import { apiDocument } from "../../src/api/document.ts";
import { openPersonService, type PersonServiceOptions } from "../../src/index.ts";
import { type DocumentCheck, documentCheck } from "../api/document-check.ts";
import { type DatabaseKind, databaseKinds, sqlite, sqliteInMemory } from "./databases.ts";
import { isEverywhere } from "./everywhere.ts";

/** The time at which the services of these tests store everything. */
export const noon = "2026-06-15T12:00:00.000Z";

/** What a request has beside its method and target; a field with several values is sent as so many lines. */
export interface Message {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface Answer {
  readonly status: number;
  /** By lower-case name, without those that belong to the connection or the moment. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The same number for answers that came over one connection; in memory always 0. */
  readonly connection: number;
}

/** A person-service on a database of its own, as its clients see it. */
export interface Service {
  /** Sends a request with just these fields, and Host and Content-Length where they are due. */
  send(method: string, target: string, message?: Message): Promise<Answer>;
}

interface Transport {
  readonly name: "in memory" | "over a socket";
  connect(app: App): Promise<Service & { close(): Promise<void> }>;
}

/**
 * Runs a body of tests on SQLite with everything in memory, and where tests run everywhere, over a socket on a file too. Every call of
 * `openService` within a `describe` gives that block a service on an empty database, closed after its last test; it must have had no
 * fault by then.
 *
 * ```ts
 * describeService("hello", (openService) => {
 *   const service = openService();
 *   it("greets", async () => assert.equal((await service.send("GET", "/hello-world")).text, "Hello World"));
 * });
 * ```
 */
export function describeService(name: string, body: Body): void {
  describeOn(sqliteInMemory, inMemory, name, body);
  if (isEverywhere) describeOn(sqlite, overSocket, name, body);
}

/** Runs a body of tests in memory only, on SQLite there, for what a service makes of content, whatever brought it. */
export function describeInMemory(name: string, body: Body): void {
  describeOn(sqliteInMemory, inMemory, name, body);
}

/** Runs a body of tests over a socket only, on SQLite, for what depends on the address of the client. */
export function describeOverSocket(name: string, body: Body): void {
  describeOn(sqlite, overSocket, name, body);
}

/**
 * Runs a body of tests on SQLite with everything in memory, and where tests run everywhere, on each kind of database: for what depends
 * on the store.
 */
export function describeOnEveryStore(name: string, body: Body): void {
  if (isEverywhere) describeOnEachStore(name, body);
  else describeInMemory(name, body);
}

/**
 * Runs a body of tests in every run on each kind of database: in memory on SQLite, over a socket on the others. No answer depends on
 * both the transport and the store.
 */
export function describeOnEachStore(name: string, body: Body): void {
  for (const kind of databaseKinds) describeOn(kind, kind === sqlite ? inMemory : overSocket, name, body);
}

type Body = (openService: OpenService, transport: Transport["name"]) => void;

function describeOn(kind: DatabaseKind, transport: Transport, name: string, body: Body): void {
  describe(`${name} (${transport.name}, ${kind.name})`, () => {
    body((configure) => openService(kind, transport, configure), transport.name);
  });
}

/** Opens a service, with these options where the tests need some; they are made when the block begins. */
export type OpenService = (configure?: Configure) => Service;

type Configure = () => Promise<Omit<PersonServiceOptions, "database" | "onFault">>;

function openService(kind: DatabaseKind, transport: Transport, configure?: Configure): Service {
  const running = Promise.withResolvers<Service>();
  let close: () => Promise<void> = async () => undefined;
  before(async () => {
    const database = await kind.create();
    const faults: unknown[] = [];
    const options = (await configure?.()) ?? {};
    const { app, database: opened } = await openPersonService({
      database: database.location,
      now: () => new Date(noon),
      onFault: (error) => faults.push(error),
      checkAnswers: true,
      maxDelay: 60_000, // a busy machine must not have requests refused
      ...options,
    });
    const client = await transport.connect(app);
    close = async () => {
      await client.close();
      await opened.close();
      await database.remove();
      assert.deepEqual(faults, []);
    };
    const { check } = await checkFor(app, options);
    running.resolve({
      async send(method, target, message = {}) {
        const answer = await client.send(method, target, message);
        check(method, target, message, answer);
        return answer;
      },
    });
  });
  after(() => close());
  return { send: async (...message) => (await running.promise).send(...message) };
}

/** Every answer is held against the OpenAPI document, which is one for all services of the same options. */
async function checkFor(app: App, options: Partial<PersonServiceOptions>): Promise<DocumentCheck> {
  if (Object.keys(options).length > 0) return checkOf(app, options);
  usual ??= checkOf(app, options);
  return usual;
}

/** That of services without options, which are most of them: to make a document takes as long as to open a service. */
let usual: Promise<DocumentCheck> | undefined;

async function checkOf(app: App, { publicUrl }: Partial<PersonServiceOptions>): Promise<DocumentCheck> {
  const document = await apiDocument(app, { publicUrl });
  const key = JSON.stringify(document);
  const known = checks.get(key) ?? documentCheck(document);
  checks.set(key, known);
  return known;
}

const checks = new Map<string, DocumentCheck>();

const inMemory: Transport = {
  name: "in memory",
  async connect(app) {
    return {
      async send(method, target, { headers = {}, body = null } = {}) {
        const fields = Object.entries(headers).flatMap(([name, values]) =>
          [values].flat().map((value): [string, string] => [name, value]),
        );
        const native = new Request(`http://localhost${target}`, { method, headers: fields, body });
        const response = await app.fetch(native);
        return toAnswer(response.status, [...response.headers], await response.bytes(), 0);
      },
      close: async () => undefined,
    };
  },
};

const overSocket: Transport = {
  name: "over a socket",
  async connect(app) {
    // As the command line has it.
    const server = await serve(app, { engine: testEngine, ...(testEngine === "waymark" && { answerMemory: 2 ** 24 }) });
    const agent = new Agent({ keepAlive: true });
    return {
      send: (method, target, message) => sendOverSocket(server.port, agent, method, target, message),
      async close() {
        agent.destroy();
        await server.close({ grace: 0 });
      },
    };
  },
};

/** By node:http and not by fetch, which adds fields of its own and refuses methods. */
function sendOverSocket(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  { headers = {}, body = "" }: Message = {},
): Promise<Answer> {
  const length = Buffer.byteLength(body);
  const isChunked = "Transfer-Encoding" in headers;
  const fields = { ...headers, ...(length > 0 && !isChunked && { "Content-Length": length }) };
  return new Promise((resolve, reject) => {
    // Node changes neither the record nor the lists in it.
    const message = request({ port, host: "127.0.0.1", agent, method, path, headers: fields as OutgoingHttpHeaders });
    message.method = method; // as it is: it has been put in capitals
    message.once("error", reject);
    message.once("response", (response) => {
      const { statusCode = 0, headersDistinct, socket } = response;
      const lines = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(", ")] as const);
      const connection = (socket as Socket).localPort ?? 0; // it is open
      buffer(response).then((bytes) => resolve(toAnswer(statusCode, lines, bytes, connection)), reject);
    });
    message.end(body);
  });
}

function toAnswer(
  status: number,
  fields: readonly (readonly [string, string])[],
  bytes: Uint8Array,
  connection: number,
): Answer {
  const headers = Object.fromEntries(fields.filter(([name]) => !ofConnection.has(name)));
  return { status, headers, bytes, text: new TextDecoder().decode(bytes), connection };
}

const ofConnection: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "transfer-encoding", "date", "x-request-id"],
]);
