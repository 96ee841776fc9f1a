import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Database, openDatabase, type Store, StoreReadOnly, StoreUnavailable } from "@waymark/collection";
import { type App, around, HttpRequest, type HttpResponse } from "waymark";
import { HeaderList } from "waymark/fields";
import { access } from "waymark/filters";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { apiDocument } from "../../src/api/document.ts";
import { openAccess, openPersonService, type PersonServiceOptions } from "../../src/index.ts";
import { personCollection } from "../../src/person/collection.ts";
import { basic, quickHash } from "../access/basic-authentication.ts";
import {
  everyOperation,
  type Fields,
  type Line,
  newPerson,
  readers,
  signInOperations,
  signInRequests,
  somebody,
  specialFields,
  specialRequests,
} from "../tools/answer-requests.ts";
import type { Answer } from "../tools/transports.ts";
import { type DocumentCheck, documentCheck } from "./document-check.ts";

// The other tests find what the OpenAPI document lacks. This one finds what it has too much of: each of its answers is got here,
// in each media type, from services in the states that it takes.

/** Problems that take more than that, each with the test that gets it. */
const elsewhere: Readonly<Record<string, string>> = {
  "idempotency-key-in-use": "idempotency-key.test.ts",
  "bulk-time-exceeded": "bulk-limits.test.ts",
  "bulk-busy": "bulk-limits.test.ts",
  "lists-busy": "long-pages.test.ts",
};

describe("every answer in the OpenAPI document can be got", () => {
  it("from a service without an access file", async () => {
    const unmet = await answersMissing({ hostNames: [] }, everyOperation, {}, async (open) => {
      await (await open()).sendAll(everyOperation, { Host: "other.example" });
    });
    assert.deepEqual(unmet, []);
  });

  it("from a service with one", async () => {
    const folder = openFolder("documented-answers");
    const file = folder.write("access.json", {
      rules: [
        { path: "/hello-world", anyone: true },
        { methods: ["GET"], path: "/person/**", scopes: ["read"] },
        { path: "/**", scopes: ["write"] },
      ],
      users: [
        { name: "editor", password: quickHash("x"), scopes: ["read", "write"] },
        { name: "writer", password: quickHash("x"), scopes: ["write"] },
        { name: "nobody", password: quickHash("x"), scopes: [] },
      ],
    });
    const { filter } = await openAccess({ file });
    const operations = [...everyOperation, ...signInOperations];
    const as = (name: string, password = "x"): Fields => ({ Authorization: basic(name, password) });
    const options = { access: filter, rateLimit: { limit: 100_000, window: 60 } };
    const unmet = await answersMissing(options, operations, as("editor"), async (open) => {
      const { sendAll, send } = await open();
      await sendAll(operations, {});
      await sendAll(operations, as("nobody"));
      await sendAll(specialRequests, as("writer"));
      await sendAll(signInRequests, {});
      await sendAll(operations, as("editor"), as("editor"));
      await sendAll([["GET", "/"]], as("editor", "wrong"));
      for (let i = 0; i < 25; i++) await send(["GET", "/"], as("editor", "wrong"));
      await sendAll([...operations, ...signInRequests], as("editor", "wrong"));
      // As while too many passwords are being checked.
      const guarded = operations.filter(([, target]) => !/^\/(?:hello-world|assets|session)/.test(target));
      const undecided = access(() => ({ kind: "unavailable", retryAfter: 1 }));
      await (await open({ access: { ...filter, apply: undecided.apply } })).sendAll(guarded, {});
      const limited = await open({ rateLimit: { limit: 1, window: 60 } });
      await limited.sendAll([...operations, ...operations.slice(0, 1)], {});
    });
    assert.deepEqual(unmet, []);
  });
});

type Options = Partial<PersonServiceOptions>;

/** Sends a line with these fields too; of a field that two of them have, both. */
type Send = (line: Line, ...fields: readonly Fields[]) => Promise<Answer>;

/** A service in some state, on a database of its own with a person. */
interface Sender {
  readonly send: Send;
  /** Sends each line for every reader of problems. */
  readonly sendAll: (lines: readonly Line[], ...fields: readonly Fields[]) => Promise<void>;
}

/**
 * Sends services in each state what gets the answers of the document, and returns those that were not got.
 *
 * @param common the options that all services have, since the document depends on them
 * @param caller the fields of a caller who may do everything
 * @param further gets what only services with these options answer
 */
async function answersMissing(
  common: Options,
  operations: readonly Line[],
  caller: Fields,
  further: (open: (options?: Options) => Promise<Sender>) => Promise<void>,
): Promise<readonly string[]> {
  const closing: (() => Promise<void>)[] = [];
  let check: DocumentCheck | undefined;
  const open = async ({ broken, ...options }: Options & { readonly broken?: Error } = {}): Promise<Sender> => {
    const database = await openDatabase(":memory:", { collections: [personCollection] });
    closing.push(() => database.close());
    const people = database.store(personCollection.name);
    for (const others of [{}, { identifier: "A-1" }]) await people.create({ ...JSON.parse(somebody), ...others });
    const { app } = await openPersonService({
      database: broken === undefined ? database : failing(database, broken),
      onFault: () => undefined,
      checkAnswers: true,
      bulk: { maxRecords: 2 },
      brand: { logo: { kind: "png", bytes: new Uint8Array() } },
      ...common,
      ...options,
    });
    check ??= documentCheck(await apiDocument(app, {}));
    return senderTo(app, check);
  };

  const usual = await open();
  const send = (lines: readonly Line[]): Promise<void> => usual.sendAll(lines, caller);
  await send(specialRequests);
  for (const fields of specialFields) await usual.sendAll(operations, caller, fields);
  for (const Accept of representations) {
    for (const line of everyOperation) await usual.send(line, caller, { Prefer: "return=representation", Accept });
  }
  await send(everyOperation);
  await send(await filesAndCopies(usual, caller));
  const withPicture = await open({ brand: { logo: { kind: "png", bytes: Buffer.from("a picture") } } });
  await withPicture.sendAll(await filesAndCopies(withPicture, caller), caller);

  await (await open({ filters: [faulty] })).sendAll(operations, caller, { "X-Fault": "1" });
  for (const broken of [new StoreUnavailable("away"), new StoreReadOnly("a standby")]) {
    await (await open({ broken })).sendAll(operations, caller);
  }
  const gate = Promise.withResolvers<void>();
  const holding = around((request, next) =>
    request.headers.has("X-Hold") ? gate.promise.then(() => next(request)) : next(request),
  );
  const busy = await open({ filters: [holding], maxInFlight: 1 });
  const held = busy.send(["GET", "/person/1"], caller, { "X-Hold": "1" });
  await busy.sendAll(operations, caller);
  gate.resolve();
  await held;

  await further(open);
  await Promise.all(closing.map((close) => close()));
  return check?.unmet().filter((answer) => elsewhere[answer.split(" ").at(-1) ?? ""] === undefined) ?? [];
}

const representations: readonly string[] = [
  ...["application/json", "application/xml", "application/ld+json", "application/x-ndjson"],
  ...["text/csv", "text/vcard", "text/vcard;version=3.0", "text/xml", "text/html", "text/event-stream"],
];

const faulty = around((request, next) => {
  if (request.headers.has("X-Fault")) throw new Error("as it was asked for");
  return next(request);
});

/** Returns a database whose store fails: with everything, or with changes where it is read-only. */
function failing(database: Database, error: Error): Database {
  const store = database.store(personCollection.name);
  const fail = (): never => {
    throw error;
  };
  const changes = { create: fail, replace: fail, remove: fail, createAll: fail, changeAll: fail };
  const failingReads = { find: fail, batch: fail, list: fail, changes: fail, count: fail, state: fail, revision: fail };
  const { members, fullText, unique } = store;
  const bound = ["find", "batch", "changes", "state", "count", "kept"] as const;
  const reads = Object.fromEntries(bound.map((name) => [name, store[name].bind(store)]));
  const isReadOnly = error instanceof StoreReadOnly;
  const broken = { members, fullText, unique, ...reads, ...(!isReadOnly && failingReads), ...changes };
  // As much of both as the service uses here.
  return { store: () => broken as unknown as Store, check: async () => fail() } as unknown as Database;
}

/** Returns requests for the files that a page loads, and for copies that are current. */
async function filesAndCopies({ send }: Sender, caller: Fields): Promise<readonly Line[]> {
  const { text } = await send(["GET", "/person", { fields: { Accept: "text/html" } }], caller);
  const files = Array.from(text.matchAll(/(?:href|src)="(\/assets\/[^"]*)"/g), ([, path = ""]): Line => ["GET", path]);
  const copies = ["/openapi.json", files[0]?.[1] ?? ""].map(async (path): Promise<readonly Line[]> => {
    const { headers } = await send(["GET", path], caller);
    const fields = [{ "If-None-Match": headers["etag"] ?? "" }, { "If-Match": '"other"' }];
    return fields.map((each): Line => ["GET", path, { fields: each }]);
  });
  const { logo } = JSON.parse((await send(["GET", "/"], caller)).text);
  return [["GET", logo], ...files, ...(await Promise.all(copies)).flat()];
}

function senderTo(app: App, { check }: DocumentCheck): Sender {
  const send: Send = async ([method, path, { fields = {}, type, body } = {}], ...further) => {
    const target = path === newPerson ? await storePerson(...further) : path;
    const own: Fields = { ...fields, ...(type !== undefined && { "Content-Type": type }) };
    const headers = [own, ...further]
      .flatMap((each) => Object.entries(each))
      .reduce((list, [name, value]) => list.withAdded(name, value), HeaderList.of({ Host: "localhost" }));
    const client = { address: "127.0.0.1" };
    // An event stream then ends with its first events.
    const draining = AbortSignal.abort();
    const init = { method, target, headers, client, draining, ...(body && { body }) };
    const response = await app.handle(HttpRequest.of(init));
    const bytes = await bytesOf(response);
    const answer = {
      status: response.status,
      headers: Object.fromEntries(Array.from(response.headers, ([name, value]) => [name.toLowerCase(), value])),
      bytes,
      text: new TextDecoder().decode(bytes),
      connection: 0,
    };
    const sent = Object.fromEntries(headers);
    check(method, target, { headers: sent, ...(body !== undefined && { body }) }, answer);
    return answer;
  };
  const storePerson = async (...fields: readonly Fields[]): Promise<string> => {
    const { headers } = await send(["POST", "/person", { type: "application/json", body: somebody }], ...fields);
    return headers["location"] ?? "/person/1";
  };
  return {
    send,
    sendAll: async (lines, ...further) => {
      for (const line of lines) for (const reader of readers) await send(line, ...further, reader);
    },
  };
}

async function bytesOf({ body }: HttpResponse): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of typeof body === "string" || body instanceof Uint8Array ? [body] : (body ?? [])) {
    pieces.push(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
  }
  return Buffer.concat(pieces);
}
