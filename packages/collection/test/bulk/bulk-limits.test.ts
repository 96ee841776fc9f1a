import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { nodeCodings } from "@waymark/node";
import { HttpError, HttpRequest, type HttpResponse, POST, router } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { access } from "waymark/filters";
import { z } from "zod";
import {
  type BulkLimits,
  type CollectionHandlers,
  collection,
  csvDecoder,
  type ListChange,
  ndjsonDecoder,
  openDatabase,
  type Store,
} from "../../src/index.ts";
import type { ListDecoder } from "../../src/internal.ts";
import { toBulkSettings } from "../../src/limits.ts";
import { spooledFiles } from "./spooled-files.ts";

type Book = { readonly title: string };

/** Takes an object with a title, and calls back for each value that it judges. */
const bookSchema = (onJudge: () => void): StandardSchemaV1<unknown, Book> => ({
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      onJudge();
      const { id, title } = Object(value);
      return typeof title === "string"
        ? { value: { ...(id !== undefined && { id }), title } }
        : { issues: [{ message: "must have a title" }] };
    },
  },
});

interface Options {
  readonly bulk?: BulkLimits;
  readonly decoder?: ListDecoder;
  readonly onJudge?: () => void;
}

type Books = CollectionHandlers<Book>;

/** Runs with the handlers of a collection over an empty store. */
async function withBooks(options: Options, use: (books: Books, store: Store) => Promise<void>): Promise<void> {
  const database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
  const store = database.store("book");
  const { bulk, decoder, onJudge = () => undefined } = options;
  const schema = bookSchema(onJudge);
  const listDecoders = [ndjsonDecoder, csvDecoder({ columns: ["title"] }), ...(decoder === undefined ? [] : [decoder])];
  try {
    await use(collection({ path: "/books", store, schema, listDecoders, bulk }), store);
  } finally {
    await database.close();
  }
}

interface Sent {
  readonly type?: string;
  readonly lenient?: boolean;
  readonly query?: string;
  readonly signal?: AbortSignal;
}

async function post(
  { createMany }: Pick<Books, "createMany">,
  body: string,
  { type = "application/x-ndjson", lenient = false, query = "", signal }: Sent = {},
): Promise<HttpResponse> {
  const headers = { "Content-Type": type, ...(lenient && { Prefer: "handling=lenient" }) };
  const target = `/books${query}`;
  const request = HttpRequest.of({ method: "POST", target, headers, body, ...(signal !== undefined && { signal }) });
  try {
    return await createMany(request);
  } catch (error) {
    if (error instanceof HttpError) return error.response;
    throw error;
  }
}

const membersOf = ({ body }: HttpResponse): Readonly<Record<string, unknown>> => JSON.parse(String(body));

/** The members of a problem that say what it is. */
function assertProblem(response: HttpResponse, status: number, code: string): Readonly<Record<string, unknown>> {
  const problem = membersOf(response);
  assert.deepEqual([response.status, problem["type"]], [status, `/problems/${code}`]);
  return problem;
}

const emma = '{"title":"Emma"}\n';

/** Gives a record whenever it is asked for one, without end. */
function endless(onRecord: () => void): ListDecoder {
  return {
    mediaTypes: ["text/x-endless"],
    async *decode() {
      for (let line = 1; ; line++) {
        onRecord();
        yield { line, value: { title: "Emma" } };
      }
    },
  };
}

/** A clock that stands still unless it is moved on, in milliseconds. */
function stoppedClock(t: TestContext): { now: number } {
  const clock = { now: 1000 };
  t.mock.method(performance, "now", () => clock.now);
  return clock;
}

/** Counts the steps that are taken in one turn of the event loop; each takes a millisecond of the clock. */
function countSteps(clock: { now: number }): { step(): void; readonly most: number; stop(): void } {
  let [most, inTurn, turn, turnOfStep] = [0, 0, 0, -1];
  const onTurn = (): void => {
    turn++;
    next = setImmediate(onTurn);
  };
  let next = setImmediate(onTurn);
  return {
    step() {
      clock.now++;
      inTurn = turn === turnOfStep ? inTurn + 1 : 1;
      turnOfStep = turn;
      most = Math.max(most, inTurn);
    },
    get most() {
      return most;
    },
    stop: () => clearImmediate(next),
  };
}

describe("the records of one request", () => {
  for (const lenient of [false, true]) {
    it(`may be as many as the limit, and no more, ${lenient ? "the good ones" : "all or none"}`, () =>
      withBooks({ bulk: { maxRecords: 3 } }, async (books, store) => {
        assert.equal(membersOf(await post(books, `\n\n${emma.repeat(3)}\n`, { lenient }))["stored"], 3);
        for (const lines of [emma.repeat(4), `${emma.repeat(2)}{}\n{}\n`]) {
          const problem = assertProblem(await post(books, lines, { lenient }), 413, "too-many-records");
          assert.deepEqual(
            [problem["detail"], problem["limit"]],
            ["Nothing was stored: there are more than 3 records.", 3],
          );
        }
        const rows = await post(books, `title\n${"a\n".repeat(4)}`, { lenient, type: "text/csv" });
        assertProblem(rows, 413, "too-many-records");
        assert.equal(await store.revision(), 3);
      }));
  }

  it("are asked for up to the limit", async () => {
    let asked = 0;
    await withBooks({ bulk: { maxRecords: 1000 }, decoder: endless(() => asked++) }, async (books) => {
      assertProblem(await post(books, "", { type: "text/x-endless" }), 413, "too-many-records");
      assert.equal(asked, 1001);
    });
  });

  for (const [mode, lenient, query] of [
    ["the good ones are to be stored", true, ""],
    ["it is a dry run", false, "?dry-run=true"],
  ] as const) {
    it(`are read until more of them are faulty than the limit when ${mode}`, async () => {
      let judged = 0;
      await withBooks({ bulk: { maxRefused: 1200 }, onJudge: () => judged++ }, async (books, store) => {
        const enough = await post(books, emma + "1\n".repeat(1200), { lenient, query });
        const { errors, ...counts } = membersOf(enough);
        assert.deepEqual([enough.status, counts], [200, { stored: 1, refused: 1200, omitted: 200 }]);
        assert.equal((errors as readonly object[]).length, 1000);
        judged = 0;
        const stored = await store.count();
        const response = await post(books, emma + "1\n".repeat(100_000), { lenient, query });
        const { detail, stoppedAfter, refused } = assertProblem(response, 400, "invalid-content");
        assert.deepEqual([stoppedAfter, refused, judged, await store.count()], [1202, 1201, 1202, stored]);
        assert.equal(
          detail,
          "Nothing was stored: there are 1,201 faults in 1,201 records; the first 1,000 are listed, 201 are not; nothing after line 1202 was read.",
        );
      });
    });
  }

  it("are stored until more of them are refused than the limit when the good ones are to be stored", () =>
    withBooks({ bulk: { maxRefused: 100 } }, async (books, store) => {
      const taken = '{"title":"Emma","id":1}\n';
      const response = await post(books, emma + taken.repeat(5000), { lenient: true });
      const { stored, refused, detail } = assertProblem(response, 400, "invalid-content");
      assert.deepEqual([stored, refused, await store.count()], [1, 999, 1]);
      assert.match(
        String(detail),
        /^There are 999 faults in 999 records: 1 record is stored, up to line 1000; nothing /,
      );
    }));

  it("are in content of at most so many bytes, and the refusal says what to do", () =>
    withBooks({ bulk: { maxBytes: 10 * emma.length } }, async (books, store) => {
      assert.equal((await post(books, emma.repeat(10))).status, 200);
      for (const lenient of [false, true]) {
        const { limit, detail } = assertProblem(
          await post(books, `${emma.repeat(10)}\n`, { lenient }),
          413,
          "content-too-large",
        );
        assert.deepEqual([limit, await store.revision()], [170, 10]);
        assert.match(
          String(detail),
          /is longer than 170 bytes\. Send several lists, each shorter; a table has its header /,
        );
      }
    }));

  it("may not come of too little coded content", () =>
    withBooks({}, async (books, store) => {
      const app = router({ codings: nodeCodings }, POST(books.createMany));
      const send = (content: string, preference = "") => {
        const body = gzipSync(content);
        const headers = { "Content-Type": "text/csv", "Content-Encoding": "gzip", Prefer: preference };
        return app.fetch(new Request("http://localhost/", { method: "POST", headers, body }));
      };
      for (const preference of ["", "handling=lenient"]) {
        const response = await send(`title\n${`${"a".repeat(500)}\n`.repeat(5000)}`, preference);
        const { type, limit } = (await response.json()) as Record<string, unknown>; // a problem
        assert.deepEqual([response.status, type, limit], [413, "/problems/content-expands-too-far", 100]);
      }
      assert.equal(await store.revision(), 0);
      assert.deepEqual(await (await send(`title\n${"a\n".repeat(1000)}`)).json(), { stored: 1000, refused: 0, errors: [] }); // biome-ignore format: short
    }));
});

describe("a limit of bulk requests", () => {
  it("is a whole number, 1 or more", async () => {
    for (const name of Object.keys(toBulkSettings({}))) {
      for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        await assert.rejects(
          withBooks({ bulk: { [name]: value } }, async () => undefined),
          { name: "RangeError", message: `bulk.${name} must be a whole number, 1 or more, not ${value}` },
        );
      }
    }
  });
});

describe("bulk requests at once", () => {
  it("are as many as the limit; one more is asked to come again, and may when one of them has ended", async () => {
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    const patient: ListDecoder = {
      mediaTypes: ["text/x-patient"],
      async *decode() {
        waiting++;
        await gate.promise;
        yield { line: 1, value: { title: "Emma" } };
      },
    };
    await withBooks({ bulk: { maxAtOnce: 2 }, decoder: patient }, async (books, store) => {
      const held = [post(books, "", { type: "text/x-patient" }), post(books, "", { type: "text/x-patient" })];
      while (waiting < 2) await new Promise(setImmediate);
      const refusal = await post(books, emma);
      assertProblem(refusal, 503, "bulk-busy");
      assert.equal(refusal.headers.get("Retry-After"), "5");
      gate.resolve();
      for (const response of await Promise.all(held)) assert.equal(response.status, 200);
      for (const body of ["{", emma, emma, emma]) await post(books, body);
      assert.equal(await store.revision(), 5);
    });
  });
});

describe("the share of one caller in bulk requests", () => {
  const by = (id: string) => ({ kind: "allowed", caller: { id, scopes: [] } }) as const;
  const guard = access((request) => by(request.header("Authorization") ?? "nobody"));
  const books = Array.from({ length: 100 }, (_, i) => `{"title":"${`${i}`.padEnd(2_000, "x")}"}\n`).join("");

  async function withCallers(
    bulk: BulkLimits,
    use: (send: (caller: string, body: string | ReadableStream) => Promise<Response>) => Promise<void>,
  ): Promise<void> {
    const database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
    const schema = z.object({ title: z.string() });
    const { createMany } = collection({ path: "/books", store: database.store("book"), schema, bulk });
    const app = router({ filters: [guard] }, POST("/books", createMany));
    const headers = { "Content-Type": "application/x-ndjson" };
    await use((caller, body) =>
      app.fetch(
        new Request("http://localhost/books", {
          method: "POST",
          headers: { ...headers, Authorization: caller },
          body,
          ...{ duplex: "half" }, // for a stream; TypeScript does not know it
        }),
      ),
    );
    await database.close();
  }

  it("leaves room for others while its contents do not come", () =>
    withCallers({ maxAtOnce: 3, maxAtOncePerCaller: 2 }, async (send) => {
      const stalled = Promise.withResolvers<void>();
      const slow = () => new ReadableStream({ pull: (controller) => stalled.promise.then(() => controller.close()) });
      const held = [send("slow", slow()), send("slow", slow())];
      await new Promise(setImmediate);
      assert.equal((await send("slow", books)).status, 503);
      assert.equal((await send("other", books)).status, 200);
      stalled.resolve();
      for (const answer of await Promise.all(held)) assert.equal(answer.status, 200);
      assert.equal((await send("slow", books)).status, 200);
    }));

  it("limits the bytes on disk: of one request, of all requests of the caller, and of all callers", () =>
    withCallers({ maxSpoolBytesPerCaller: 300_000, maxSpoolBytes: 400_000 }, async (send) => {
      const tooLarge = await send("one", books + books);
      assert.equal(tooLarge.status, 413);
      assert.match(await tooLarge.text(), /the records come to more than 300,000 bytes as JSON/);
      const stalled = Promise.withResolvers<void>();
      const lines = books.split(/(?<=\n)/).map((line) => new TextEncoder().encode(line));
      const aside = Promise.withResolvers<void>();
      const slow = () =>
        new ReadableStream({
          async pull(controller) {
            const line = lines.shift();
            if (line !== undefined) return controller.enqueue(line);
            aside.resolve(); // all lines but the last
            await stalled.promise;
            controller.close();
          },
        });
      const held = send("one", slow());
      await aside.promise;
      assert.equal((await send("one", books)).status, 503);
      assert.equal((await send("other", books + books.slice(0, books.length / 2))).status, 503);
      stalled.resolve();
      assert.equal((await held).status, 200);
      assert.equal((await send("one", books)).status, 200);
    }));
});

describe("the time of a bulk request", () => {
  for (const lenient of [false, true]) {
    it(`is limited, and nothing was stored before, ${lenient ? "of the good ones" : "all or none"}`, async (t) => {
      const clock = stoppedClock(t);
      let judged = 0;
      const onJudge = (): void => {
        judged++;
        clock.now += 100;
      };
      await withBooks({ bulk: { maxTime: 1000 }, onJudge }, async (books, store) => {
        assert.equal(membersOf(await post(books, emma.repeat(10), { lenient }))["stored"], 10);
        judged = 0;
        const response = await post(books, emma.repeat(100), { lenient });
        const { detail } = assertProblem(response, 503, "bulk-time-exceeded");
        assert.equal(detail, "Nothing was stored: it would take longer than 1000 ms. Send fewer records at a time.");
        assert.equal(response.headers.get("Retry-After"), undefined);
        assert.deepEqual([judged, await store.revision()], [11, 10]);
      });
    });
  }

  it("may end while the good ones are stored, and the answer says how many are", async (t) => {
    const clock = stoppedClock(t);
    await withBooks({}, async (_, store) => {
      const slow = Object.create(store, {
        changeAll: {
          value: async (changes: AsyncIterable<ListChange>) => {
            const made = await store.changeAll(changes);
            if (made.kind === "created") clock.now += 2 * made.count;
            return made;
          },
        },
      }) as Store; // with one method of its own
      const schema = bookSchema(() => undefined);
      const { createMany } = collection({ path: "/books", store: slow, schema, bulk: { maxTime: 1000 } });
      const response = await post({ createMany }, emma.repeat(2500), { lenient: true });
      const problem = assertProblem(response, 503, "bulk-time-exceeded");
      assert.deepEqual([problem["stored"], problem["refused"], await store.revision()], [1000, 0, 1000]);
      assert.match(
        String(problem["detail"]),
        /: 1,000 records are stored, up to line 1000; nothing after line 1000 was tried\.$/,
      );
    });
  });
});

describe("while a bulk request is worked on", () => {
  for (const [what, line] of [
    ["are refused", "1\n"],
    ["are good", emma],
  ] as const) {
    it(`others have a turn after every few milliseconds while records ${what}`, async (t) => {
      const steps = countSteps(stoppedClock(t));
      try {
        await withBooks({ onJudge: steps.step }, async (books) => {
          assert.equal((await post(books, line.repeat(1000), { lenient: true })).status, 200);
        });
      } finally {
        steps.stop();
      }
      assert.ok(steps.most <= 10, `${steps.most} records of 1 ms were judged in a turn`);
    });
  }

  it("others have a turn between two bulk requests, however many there are", async (t) => {
    const steps = countSteps(stoppedClock(t));
    try {
      await withBooks({ onJudge: steps.step, bulk: { maxAtOncePerCaller: 10 } }, async (books) => {
        const answers = Array.from({ length: 10 }, () => post(books, "1\n".repeat(200), { lenient: true }));
        for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
      });
    } finally {
      steps.stop();
    }
    assert.ok(steps.most <= 10, `${steps.most} records of 1 ms were judged in a turn`);
  });

  it("others have a turn between the pieces of content without a record", async (t) => {
    const steps = countSteps(stoppedClock(t));
    let pieces = 0;
    const silent: ListDecoder = {
      mediaTypes: ["text/x-silent"],
      async *decode(content) {
        for await (const piece of content) {
          assert.ok(piece.length <= 4096, `a piece has ${piece.length} bytes`);
          pieces++;
          steps.step();
        }
        yield { line: 1, value: { title: "Emma" } };
      },
    };
    try {
      await withBooks({ decoder: silent }, async (books) => {
        assert.equal((await post(books, "\n".repeat(409_600), { type: "text/x-silent" })).status, 200);
      });
    } finally {
      steps.stop();
    }
    assert.equal(pieces, 100);
    assert.ok(steps.most <= 10, `${steps.most} pieces of 1 ms were read in a turn`);
  });
});

describe("a bulk request whose client has gone", () => {
  it("is looked at no further, and stores nothing", async () => {
    for (const lenient of [false, true]) {
      const client = new AbortController();
      let asked = 0;
      const decoder = endless(() => {
        if (++asked === 100) client.abort();
      });
      await withBooks({ decoder, bulk: { maxRecords: 100_000 } }, async (books, store) => {
        const { signal } = client;
        const { status } = await post(books, "", { type: "text/x-endless", lenient, signal });
        assert.deepEqual([status, asked, await store.revision()], [400, 100, 0]);
        assert.equal(spooledFiles() ?? 0, 0);
      });
    }
  });

  it("stores nothing when the client goes while the store is given the records", async () => {
    const client = new AbortController();
    await withBooks({}, async (_, store) => {
      let given = 0;
      const watched = Object.create(store, {
        changeAll: {
          value: (changes: AsyncIterable<ListChange>) =>
            store.changeAll(
              (async function* () {
                for await (const change of changes) {
                  if (++given === 700) client.abort(); // the store has taken a batch by then
                  yield change;
                }
              })(),
            ),
        },
      }) as Store; // with one method of its own
      const schema = bookSchema(() => undefined);
      const { createMany } = collection({ path: "/books", store: watched, schema });
      assert.equal((await post({ createMany }, emma.repeat(5000), { signal: client.signal })).status, 400);
      assert.deepEqual([given, await store.revision(), spooledFiles() ?? 0], [700, 0, 0]);
    });
  });
});
