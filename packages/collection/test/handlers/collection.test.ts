import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GET, group, HttpError, HttpRequest, HttpResponse, POST, router } from "waymark";
import { type Decoder, jsonDecoder, type StandardSchemaV1 } from "waymark/content";
import {
  type CollectionHandlers,
  type CollectionOptions,
  collection,
  collectionProblemTypes,
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

interface Given {
  readonly people: CollectionHandlers<Person>;
  readonly store: Store;
}

/** Runs with the handlers of a collection over an empty store. */
function withPeople(use: (given: Given) => Promise<void>, options?: Partial<CollectionOptions<Person>>) {
  return async () => {
    const database = await openPeople();
    const store = database.store("person");
    try {
      await use({ people: peopleOver(store, options), store });
    } finally {
      await database.close();
    }
  };
}

const openPeople = (): Promise<Database> =>
  openDatabase(":memory:", {
    collections: [{ name: "person", members: { identifier: { unique: true } } }],
    now: () => noon,
  });

const peopleOver = (store: Store, options?: Partial<CollectionOptions<Person>>): CollectionHandlers<Person> =>
  collection({ path: "/person", store, schema: personSchema, decoders, ...options });

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
  it(
    "answers 200 with the JSON text that is stored, and without a promise",
    withPeople(async ({ people, store }) => {
      const { json } = await create(store, { name: "Ada" });
      const response = people.read(reading("1"));
      assert.ok(response instanceof HttpResponse);
      assert.deepEqual(
        [response.status, response.headers.get("Content-Type"), response.body],
        [200, "application/json", json],
      );
    }),
  );

  const nobody = [
    ...["2", "0", "-1", "2147483647", "2147483648", "4294967297", "9007199254740991", "9007199254740992"],
    ...["9007199254740993", "9223372036854775807", "9223372036854775808", `1${"0".repeat(30)}`, "9".repeat(4000)],
  ];
  for (const id of nobody) {
    it(
      `answers 404 without content to ${id.slice(0, 40)}, an integer that nobody has`,
      withPeople(async ({ people, store }) => {
        await create(store, { name: "Ada" });
        const response = await people.read(reading(id));
        assert.deepEqual([response.status, response.body, response.headers.flat], [404, null, []]);
      }),
    );
  }

  it(
    "takes no neighbour of the greatest id for it",
    withPeople(async ({ people, store }) => {
      await create(store, { id: Number.MAX_SAFE_INTEGER, name: "Ada" });
      assert.equal((await people.read(reading("9007199254740991"))).status, 200);
      for (const id of ["9007199254740992", "9007199254740993", "9007199254740990"]) {
        assert.equal((await people.read(reading(id))).status, 404, id);
      }
    }),
  );

  const noIntegers = [
    ...[
      "abc",
      "",
      " 1",
      "1 ",
      "1\n",
      "01",
      "001",
      "+1",
      "-0",
      "-01",
      "--1",
      "1.0",
      "1.5",
      "1e3",
      "0x1",
      "1_000",
      "1,000",
    ],
    ...["١٢٣", "１", "\u00a01", "\u0000", "1/2", "1;v=2", "%31", "' OR 1=1--", "NaN", "Infinity", "null", "__proto__"],
  ];
  for (const id of noIntegers) {
    it(
      `answers 400 to ${JSON.stringify(id)}, which is no integer`,
      withPeople(async ({ people, store }) => {
        await create(store, { name: "Ada" });
        const response = await people.read(reading(id));
        assert.deepEqual(problemOf(response), {
          type: "/problems/invalid-id",
          title: "Invalid id",
          status: 400,
          detail: /^-?0\d/.test(id)
            ? `${JSON.stringify(id)} has a zero in front: send the integer without it.`
            : `${JSON.stringify(id)} is not an integer in decimal digits, such as 7.`,
        });
        assert.equal(response.status, 400);
      }),
    );
  }

  it(
    "repeats forty characters of an id that is no integer",
    withPeople(async ({ people }) => {
      const { detail } = problemOf(await people.read(reading("x".repeat(8000))));
      assert.equal(detail, `"${"x".repeat(40)}…" is not an integer in decimal digits, such as 7.`);
    }),
  );
});

describe("listing records", () => {
  it(
    "answers an empty array when nothing is stored",
    withPeople(async ({ people }) => {
      const response = await people.list(HttpRequest.of());
      assert.deepEqual([response.status, response.headers.get("Content-Type")], [200, "application/json"]);
      assert.equal(await textOf(response), "[]");
    }),
  );

  it(
    "answers the stored texts as one array, by ascending id",
    withPeople(async ({ people, store }) => {
      for (const id of [3, 1, 2]) await create(store, { id, name: "Ada" });
      const texts = await Promise.all([1, 2, 3].map(async (id) => (await store.find(id))?.json));
      assert.equal(await textOf(await people.list(HttpRequest.of())), `[${texts.join(",")}]`);
    }),
  );

  it(
    "answers 20,000 records in pieces of about 64 KiB",
    withPeople(async ({ people, store }) => {
      await store.createAll(Array.from({ length: 20_000 }, (_, i) => ({ name: `Ada ${i}`.padEnd(100) })));
      const pieces = await Array.fromAsync(piecesOf(await people.list(HttpRequest.of())));
      const records: readonly { readonly id: number }[] = JSON.parse(pieces.join(""));
      assert.deepEqual(
        records.map(({ id }) => id),
        Array.from({ length: 20_000 }, (_, i) => i + 1),
      );
      for (const piece of pieces.slice(0, -1))
        assert.ok(piece.length >= 65_536 && piece.length < 70_000, `${piece.length}`);
    }),
  );

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

  it("reads no further ahead of the client than a piece", async () => {
    const { store, batches } = countingStore();
    let pieces = 0;
    for await (const piece of piecesOf(await peopleOver(store).list(HttpRequest.of()))) {
      pieces++;
      // A piece takes 66,000 of the 51,500 characters that are in a batch.
      assert.ok(batches() <= pieces * 1.5 + 1, `${batches()} batches for ${pieces} pieces`);
      assert.ok(piece.length < 70_000);
    }
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
  it(
    "answers 201 with the Location of what is stored",
    withPeople(async ({ people, store }) => {
      const response = await people.create(posting({ name: "Ada" }));
      assert.deepEqual([response.status, response.body], [201, null]);
      assert.equal(response.headers.get("Location"), "/person/1");
      assert.equal(JSON.parse((await store.find(1))?.json ?? "").name, "Ada");
    }),
  );

  it(
    "answers a creation as the option `created` says",
    withPeople(
      async ({ people }) => {
        const response = await people.create(posting({ id: 7, name: "Ada" }));
        assert.deepEqual(
          [response.status, response.headers.flat, response.body],
          [200, ["Location", "/person/7", "X-Revision", "1"], null],
        );
      },
      {
        created: (record, location) =>
          new HttpResponse(200, { Location: location, "X-Revision": String(record.revision) }),
      },
    ),
  );

  it(
    "stores the same from XML as from JSON",
    withPeople(async ({ people, store }) => {
      await people.create(posting({ name: "Ada & Zoë", identifier: "A1" }));
      await people.create(
        posting("<person><name>Ada &amp; Zoë</name><identifier>A2</identifier></person>", "application/xml"),
      );
      const [fromJson, fromXml] = await everything(store);
      assert.equal(fromXml?.json.replace('"id":2', '"id":1').replace("A2", "A1"), fromJson?.json);
    }),
  );

  it(
    "takes an id from XML as the integer it is",
    withPeople(async ({ people }) => {
      const response = await people.create(posting("<person><id>7</id><name>Ada</name></person>", "text/xml"));
      assert.equal(response.headers.get("Location"), "/person/7");
    }),
  );

  const refused: readonly [what: string, request: () => HttpRequest, status: number, type: string, errors?: unknown][] =
    [
      ["JSON that is malformed", () => posting("{"), 400, "malformed-content"],
      ["XML that is malformed", () => posting("<person>", "application/xml"), 400, "malformed-content"],
      ["no content", () => posting(""), 400, "malformed-content"],
      ["a type that is not read", () => posting("name=Ada", "text/plain"), 415, "unsupported-media-type"],
      [
        "content that breaks rules",
        () => posting({ name: 1, nickname: "A" }),
        400,
        "invalid-content",
        [
          { detail: "is not a member of a person", pointer: "#/nickname", code: "invalid" },
          { detail: "must be text", pointer: "#/name", code: "invalid" },
        ],
      ],
      [
        "XML that breaks rules",
        () => posting("<person><name>Ada</name><id>07</id><__proto__>x</__proto__></person>", "application/xml"),
        400,
        "invalid-content",
        [
          { detail: "is not a member of a person", pointer: "#/__proto__", code: "invalid" },
          { detail: "must be an integer", pointer: "#/id", code: "invalid" },
        ],
      ],
    ];
  for (const [what, request, status, type, errors] of refused) {
    it(
      `answers ${status} to ${what}, and stores nothing`,
      withPeople(async ({ people, store }) => {
        const response = await answerOf(() => people.create(request()));
        const problem = problemOf(response);
        assert.deepEqual([response.status, problem["type"], problem["errors"]], [status, `/problems/${type}`, errors]);
        assert.deepEqual(await everything(store), []);
      }),
    );
  }

  const conflicts: readonly [member: string, had: string, used: string, first: Person, second: Person][] = [
    ["id", "has or had", "is or was", { id: 7, name: "Ada" }, { id: 7, name: "Grace" }],
    ["identifier", "has", "is already", { name: "Ada", identifier: "A1" }, { name: "Grace", identifier: "A1" }],
  ];
  for (const [member, had, used, first, second] of conflicts) {
    it(
      `answers 409 naming the member when another record has the ${member}`,
      withPeople(async ({ people, store }) => {
        await people.create(posting(first));
        const response = await people.create(posting(second));
        assert.equal(response.status, 409);
        assert.deepEqual(problemOf(response), {
          type: "/problems/conflict",
          title: "Conflict",
          status: 409,
          detail: `Another record ${had} the same ${member}.`,
          errors: [{ detail: `${used} used by another record`, pointer: `#/${member}`, code: "taken" }],
        });
        assert.equal((await everything(store)).length, 1);
      }),
    );
  }

  it(
    "lets one of 50 requests at the same time have an identifier",
    withPeople(async ({ people, store }) => {
      const responses = await Promise.all(
        Array.from({ length: 50 }, () => people.create(posting({ name: "Ada", identifier: "A1" }))),
      );
      const statuses = responses.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...Array.from({ length: 49 }, () => 409)]);
      assert.equal((await everything(store)).length, 1);
    }),
  );
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

describe("a store that answers later", () => {
  it("is waited for", async () => {
    const record: StoredRecord = { id: 1, revision: 1, updatedAt: 0, json: '{"id":1}' };
    const people = peopleOver(storeWith({ find: async (id) => (id === 1 ? record : undefined) }));
    assert.equal((await people.read(reading("1"))).body, '{"id":1}');
    assert.equal((await people.read(reading("2"))).status, 404);
  });
});

describe("the handlers of a collection", () => {
  it(
    "stand on routes as they are",
    withPeople(async ({ people }) => {
      const app = router(group("/person", GET("/{id}", people.read), GET(people.list), POST(people.create)));
      const created = await app.handle(posting({ name: "Ada" }));
      const location = created.headers.get("Location");
      assert.equal(location, "/person/1");
      assert.equal((await app.handle(HttpRequest.of({ target: location }))).status, 200);
      const list = await app.handle(HttpRequest.of({ target: "/person" }));
      assert.equal(JSON.parse(await textOf(list)).length, 1);
    }),
  );

  it("have a problem type for each refusal of their own", () => {
    for (const { code, status, title, explanation } of Object.values(collectionProblemTypes)) {
      assert.match(code, /^[a-z-]+$/);
      assert.ok(status >= 400 && status < 600);
      assert.ok(title !== "" && explanation.endsWith("."));
    }
  });
});

async function closedStore(): Promise<Store> {
  const database = await openPeople();
  await database.close();
  return database.store("person");
}
