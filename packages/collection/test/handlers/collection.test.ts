import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HttpError, HttpRequest, HttpResponse } from "waymark";
import { type Decoder, jsonDecoder, type StandardSchemaV1 } from "waymark/content";
import {
  type CollectionHandlers,
  collection,
  type Database,
  type FirstBatch,
  openDatabase,
  type Store,
  type StoredRecord,
  StoreOutcomeUnknown,
  StoreReadTimeout,
  StoreUnavailable,
  xmlDecoder,
} from "../../src/index.ts";
import { create, everything, noon } from "../store-contract/contract.ts";
import { firstBatch, storeWith } from "../stores/store-with.ts";

type Person = { readonly id?: number; readonly name: string; readonly identifier?: string };

/** Takes an object with a name and no member that a person does not have. */
const personSchema: StandardSchemaV1<unknown, Person> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      if (typeof value !== "object" || value === null) return { issues: [{ message: "must be an object" }] };
      const issues: StandardSchemaV1.Issue[] = Object.keys(value)
        .filter((key) => !["id", "name", "identifier"].includes(key))
        .map((key) => ({ message: "is not a member of a person", path: [key] }));
      if (!("name" in value) || typeof value.name !== "string")
        issues.push({ message: "must be text", path: ["name"] });
      if ("id" in value && typeof value.id !== "number") issues.push({ message: "must be an integer", path: ["id"] });
      // What is left has the members of a person, as far as these tests go.
      return issues.length > 0 ? { issues } : { value: value as Person };
    },
  },
};

const decoders: readonly Decoder[] = [jsonDecoder, xmlDecoder({ root: "person", numbers: ["id"] })];

const openPeople = (): Promise<Database> =>
  openDatabase(":memory:", {
    collections: [{ name: "person", members: { identifier: { unique: true } } }],
    now: () => noon,
  });

const peopleOver = (store: Store): CollectionHandlers<Person> =>
  collection({ path: "/person", store, schema: personSchema, decoders });

const reading = (id: string): HttpRequest<{ readonly id: string }> => HttpRequest.of({ variables: { id } });

const posting = (body: string | object, contentType = "application/json"): HttpRequest =>
  HttpRequest.of({
    method: "POST",
    target: "/person",
    headers: { "Content-Type": contentType },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** What a handler answers, a thrown response included. */
async function answerOf(handling: () => HttpResponse | Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await handling();
  } catch (error) {
    if (error instanceof HttpError) return error.response;
    throw error;
  }
}

function problemOf(response: HttpResponse): Record<string, unknown> {
  assert.equal(response.headers.get("Content-Type"), "application/problem+json");
  return JSON.parse(String(response.body));
}

const piecesOf = (response: HttpResponse): AsyncIterable<string> => {
  assert.ok(typeof response.body === "object" && response.body !== null && Symbol.asyncIterator in response.body);
  return response.body as AsyncIterable<string>; // the list's body is text
};

const textOf = async (response: HttpResponse): Promise<string> =>
  typeof response.body === "string" ? response.body : (await Array.fromAsync(piecesOf(response))).join("");

describe("reading a record", () => {
  let database: Database;
  let people: CollectionHandlers<Person>;
  let ada: StoredRecord;
  before(async () => {
    database = await openPeople();
    people = peopleOver(database.store("person"));
    ada = await create(database.store("person"), { name: "Ada" });
    await create(database.store("person"), { id: Number.MAX_SAFE_INTEGER, name: "Grace" });
  });
  after(() => database.close());

  it("answers 200 with the JSON text that is stored, and without a promise", async () => {
    const response = people.read(reading("1"));
    assert.ok(response instanceof HttpResponse);
    const { status, headers, body } = response;
    assert.deepEqual([status, headers.get("Content-Type"), body], [200, "application/json", ada.json]);
    assert.equal((await people.read(reading("9007199254740991"))).status, 200);
  });

  // biome-ignore format: a table
  const nobody = [
    "2", "0", "-1", "4294967297", "9007199254740990", "9007199254740992", "9007199254740993", "9223372036854775808",
    `1${"0".repeat(30)}`, "9".repeat(4000),
  ];
  for (const id of nobody) {
    it(`answers 404 without content to ${id.slice(0, 40)}, an integer that nobody has`, async () => {
      const response = await people.read(reading(id));
      assert.deepEqual([response.status, response.body, response.headers.flat], [404, null, []]);
    });
  }

  const noInteger = "is not an integer in decimal digits, such as 7.";
  const zero = "has a zero in front: send the integer without it.";
  const extension = `${noInteger} Name a representation by Accept, or by ?format=…, and not by an extension.`;
  // biome-ignore format: a table
  const noIntegers: readonly [ids: readonly string[], detail: string][] = [
    [["abc", "", " 1", "1 ", "1\n", "+1", "--1", "1.5", "1e3", "0x1", "1_000", "1,000", "١٢٣", "１", "\u00a01", "\u0000"], noInteger],
    [["-0", "1/2", "1;v=2", "%31", "' OR 1=1--", "NaN", "Infinity", "null", "__proto__"], noInteger],
    [["01", "001", "-01"], zero],
    [["1.json"], extension],
  ];
  for (const [ids, detail] of noIntegers) {
    for (const id of ids) {
      it(`answers 400 to ${JSON.stringify(id)}, which is no integer`, async () => {
        const response = await people.read(reading(id));
        assert.equal(response.status, 400);
        const problem = { type: "/problems/invalid-id", title: "Invalid id", status: 400 };
        assert.deepEqual(problemOf(response), { ...problem, detail: `${JSON.stringify(id)} ${detail}` });
      });
    }
  }

  it("repeats forty characters of an id that is no integer", async () => {
    const { detail } = problemOf(await people.read(reading("x".repeat(8000))));
    assert.equal(detail, `"${"x".repeat(40)}…" ${noInteger}`);
  });
});

describe("listing records", () => {
  /** 20,000 records in batches of 100, and how many of the batches were asked for. */
  function countingStore(): { store: Store; batches: () => number } {
    let batches = 0;
    const json = JSON.stringify({ description: "x".repeat(500) });
    async function* list(): AsyncGenerator<readonly StoredRecord[]> {
      for (let id = 1; id <= 20_000; id += 100) {
        batches++;
        yield Array.from({ length: 100 }, (_, i) => ({ id: id + i, revision: 1, updatedAt: 0, json }));
      }
    }
    return { store: storeWith({ batch: () => firstBatch(list()) }), batches: () => batches };
  }

  it("is in pieces of about 64 KiB, and reads no further ahead of the client than a piece", async () => {
    const { store, batches } = countingStore();
    let pieces = 0;
    for await (const piece of piecesOf(await peopleOver(store).list(HttpRequest.of()))) {
      pieces++;
      // A piece takes 66,000 of the 51,500 characters that are in a batch.
      assert.ok(batches() <= pieces * 1.5 + 1, `${batches()} batches for ${pieces} pieces`);
      assert.ok(piece.length < 70_000 && (piece.length >= 65_536 || batches() === 200), `${piece.length}`);
    }
    assert.ok(pieces > 100, `${pieces} pieces`);
    assert.equal(batches(), 200);
  });

  it("reads nothing more for a client that goes away", async () => {
    const { store, batches } = countingStore();
    let pieces = 0;
    for await (const _ of piecesOf(await peopleOver(store).list(HttpRequest.of()))) {
      if (++pieces === 3) break;
    }
    assert.ok(batches() <= 5, `${batches()} batches`);
  });

  it("reads nothing more for a client that wants no content at all", async () => {
    const { store, batches } = countingStore();
    const pieces = piecesOf(await peopleOver(store).list(HttpRequest.of()));
    await pieces[Symbol.asyncIterator]().return?.();
    assert.ok(batches() <= 2, `${batches()} batches`);
  });

  it("breaks off when the store becomes unavailable midway, rather than end as if all were there", async () => {
    const json = JSON.stringify({ description: "x".repeat(70_000) });
    async function* list(): AsyncGenerator<readonly StoredRecord[]> {
      yield [{ id: 1, revision: 1, updatedAt: 0, json }];
      throw new StoreUnavailable("closed");
    }
    const response = await peopleOver(storeWith({ batch: () => firstBatch(list()) })).list(HttpRequest.of());
    assert.equal(response.status, 200);
    await assert.rejects(textOf(response), StoreUnavailable);
  });
});

describe("creating a record", () => {
  let database: Database;
  let store: Store;
  let people: CollectionHandlers<Person>;
  before(async () => {
    database = await openPeople();
    store = database.store("person");
    people = peopleOver(store);
  });
  after(() => database.close());

  it("answers 201 with the Location of what is stored, whatever it was read from", async () => {
    for (const [request, id] of [
      [posting({ name: "Ada", identifier: "A1" }), 1],
      [posting("<person><id>7</id><name>Ada</name></person>", "text/xml"), 7],
    ] as const) {
      const { status, body, headers } = await people.create(request);
      assert.deepEqual([status, body, headers.get("Location")], [201, null, `/person/${id}`]);
    }
    const names = (await everything(store)).map(({ id, json }) => [id, JSON.parse(json).name]);
    assert.deepEqual(names, [
      [1, "Ada"],
      [7, "Ada"],
    ]);
  });

  const unknown = (pointer: string) => ({ detail: "is not a member of a person", pointer, code: "invalid" });
  const wrongXml = "<person><name>Ada</name><id>07</id><__proto__>x</__proto__></person>";
  // biome-ignore format: a table
  const refused: readonly [what: string, request: HttpRequest, status: number, type: string, errors?: unknown][] = [
    ["JSON that is malformed", posting("{"), 400, "malformed-content"],
    ["XML that is malformed", posting("<person>", "application/xml"), 400, "malformed-content"],
    ["a type that is not read", posting("name=Ada", "text/plain"), 415, "unsupported-media-type"],
    ["content that breaks rules", posting({ name: 1, nickname: "A" }), 400, "invalid-content",
      [unknown("#/nickname"), { detail: "must be text", pointer: "#/name", code: "invalid" }]],
    ["XML that breaks rules", posting(wrongXml, "application/xml"), 400, "invalid-content",
      [unknown("#/__proto__"), { detail: "must be an integer", pointer: "#/id", code: "invalid" }]],
  ];
  for (const [what, request, status, type, errors] of refused) {
    it(`answers ${status} to ${what}, and stores nothing`, async () => {
      const before = await store.revision();
      const response = await answerOf(() => people.create(request));
      const problem = problemOf(response);
      assert.deepEqual([response.status, problem["type"], problem["errors"]], [status, `/problems/${type}`, errors]);
      assert.equal(await store.revision(), before);
    });
  }

  for (const [member, had, used] of [
    ["id", "has or had", "is or was"],
    ["identifier", "has", "is already"],
  ] as const) {
    it(`answers 409 naming the member when another record has the ${member}`, async () => {
      const response = await people.create(posting({ name: "Grace", [member]: member === "id" ? 7 : "A1" }));
      assert.equal(response.status, 409);
      assert.deepEqual(problemOf(response), {
        type: "/problems/conflict",
        title: "Conflict",
        status: 409,
        detail: `Another record ${had} the same ${member}.`,
        errors: [{ detail: `${used} used by another record`, pointer: `#/${member}`, code: "taken" }],
      });
    });
  }
});

describe("a list", () => {
  it("passes the store a signal that aborts when the client has gone", async () => {
    const signals: unknown[] = [];
    const store = storeWith({
      batch: (_selection, options) => {
        signals.push(options?.signal);
        return nobody;
      },
      count: (_selection, options) => {
        signals.push(options?.signal);
        return 0;
      },
    });
    const { signal } = new AbortController();
    const headers = { Prefer: "count=exact" };
    for (const target of ["/people", "/people?limit=1"]) {
      await textOf(await peopleOver(store).list(HttpRequest.of({ target, headers, signal })));
    }
    assert.deepEqual(signals, [signal, signal, signal, signal]);
  });
});

const nobody: FirstBatch = { records: [], next: undefined, state: "0" };

describe("a store that is not available", () => {
  const unavailable = new StoreUnavailable("The disk of the database is full");
  const rejecting = storeWith({
    find: () => Promise.reject(unavailable),
    create: () => Promise.reject(unavailable),
    batch: () => Promise.reject(unavailable),
  });

  const handlers: readonly [
    what: string,
    handle: (people: CollectionHandlers<Person>) => HttpResponse | Promise<HttpResponse>,
  ][] = [
    ["reading", (people) => people.read(reading("1"))],
    ["listing", (people) => people.list(HttpRequest.of())],
    ["creating", (people) => people.create(posting({ name: "Ada" }))],
  ];
  for (const [what, handle] of handlers) {
    for (const [how, store] of [
      ["at once", closedStore],
      ["after a while", async () => rejecting],
    ] as const) {
      it(`is a 503 with Retry-After when ${what} fails ${how}, and hides the cause`, async () => {
        const response = await handle(peopleOver(await store()));
        assert.deepEqual([response.status, response.headers.get("Retry-After")], [503, "1"]);
        assert.deepEqual(problemOf(response), {
          type: "/problems/store-unavailable",
          title: "Store Unavailable",
          status: 503,
          detail: "The store cannot be used at the moment. Nothing was changed.",
        });
      });
    }
  }

  it("says what helps when a read takes too long", async () => {
    const slow = storeWith({
      batch: () => nobody,
      count: () => Promise.reject(new StoreReadTimeout("It takes more than 10000 ms")),
    });
    const response = await peopleOver(slow).list(HttpRequest.of({ headers: { Prefer: "count=exact" } }));
    assert.deepEqual([response.status, response.headers.get("Retry-After")], [503, "1"]);
    assert.match(String(problemOf(response)["detail"]), /took too long\. Filter .*, or leave out count=exact\.$/);
  });

  it("does not claim that nothing was changed when that is not known", async () => {
    const failing = storeWith({ create: () => Promise.reject(new StoreOutcomeUnknown("The disk reports an error")) });
    const response = await peopleOver(failing).create(posting({ name: "Ada" }));
    assert.deepEqual([response.status, response.headers.get("Retry-After")], [503, "1"]);
    const { detail } = problemOf(response);
    assert.equal(
      detail,
      "The store failed during the change, and the outcome is unknown. Read before you send it again.",
    );
  });

  it("differs from a fault, which is thrown on", async () => {
    const fault = new Error("a fault of the program");
    const failing = storeWith({
      find: () => {
        throw fault;
      },
      create: () => Promise.reject(fault),
      batch: () => {
        throw fault;
      },
    });
    for (const [, handle] of handlers) await assert.rejects(async () => handle(peopleOver(failing)), fault);
  });
});

async function closedStore(): Promise<Store> {
  const database = await openPeople();
  await database.close();
  return database.store("person");
}
