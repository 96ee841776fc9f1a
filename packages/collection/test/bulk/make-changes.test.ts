import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { router } from "waymark";
import { z } from "zod";
import { runs } from "../../../waymark/test/tools/runs.ts";
import {
  type BulkLimits,
  collection,
  jsonArrayDecoder,
  openDatabase,
  type Store,
  StoreUnavailable,
} from "../../src/index.ts";
import { ask } from "../tools/ask.ts";

const schema = z.strictObject({
  id: z.int().optional(),
  name: z.string().min(1),
  email: z.string().optional(),
  code: z.string().optional(),
});

type Answer = Readonly<Record<string, unknown>> & { readonly status: number };

/** Sends lists to a collection over a store. */
function listsTo(store: Store, bulk: BulkLimits = {}) {
  const app = router(collection({ path: "/books", store, schema, bulk }).routes());
  return async (query: string, lines: readonly unknown[] | object, headers = {}): Promise<Answer> => {
    const isList = Array.isArray(lines);
    const ndjson = isList ? { "Content-Type": "application/x-ndjson" } : {};
    const content = isList ? lines.map((line) => `${JSON.stringify(line)}\n`).join("") : lines;
    const { status, value } = await ask(
      app,
      `${isList ? "POST" : "PATCH"} /books${query}`,
      { ...ndjson, ...headers },
      content,
    );
    return { status, ...value };
  };
}

async function withStore(test: (store: Store) => Promise<void>): Promise<void> {
  const members = {
    name: { filter: "text" },
    email: { filter: "text" },
    code: { unique: true, filter: "text" },
  } as const;
  await using database = await openDatabase(":memory:", { collections: [{ name: "book", members }] });
  await test(database.store("book"));
}

const contentOf = async (store: Store): Promise<readonly unknown[]> =>
  (await Array.fromAsync(store.list())).flat().map(({ json }) => {
    const { createdAt: _createdAt, updatedAt: _updatedAt, ...document } = JSON.parse(json);
    return document;
  });

const lenient = { Prefer: "handling=lenient" };
const named = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `n${n}` }));

describe("a list that is longer than what is stored together", () => {
  const bulk = { maxTogether: 1500 };

  it("is stored in steps, up to the first that cannot be stored, and the answer says up to which line", () =>
    withStore(async (store) => {
      await store.create({ name: "Ada", code: "A" });
      const send = listsTo(store, bulk);
      const lines = named(2500).map((line, n) => (n === 1200 ? { ...line, code: "A" } : line));
      const { status, stored, upTo, refused, detail } = await send("", lines);
      assert.deepEqual([status, stored, upTo, refused, await store.count()], [409, 1000, 1000, 1, 1001]);
      assert.match(String(detail), /1,000 records are stored, up to line 1000; nothing after line 1000 was tried/);
      assert.deepEqual(await send("", lines.toSpliced(1200, 1)), { status: 200, stored: 2499, refused: 0, errors: [] });
      assert.equal((await send("", lines.slice(0, 1500))).status, 409);
      assert.equal(await store.count(), 3500);
    }));

  it("removes nobody, and changes nothing, where more are missing than may be removed", () =>
    withStore(async (store) => {
      await store.createAll(named(4000).map(({ name }) => ({ name, email: name })));
      const before = await store.revision();
      const send = listsTo(store, bulk);
      const lines = named(2000).map(({ name }) => ({ name: `${name} changed`, email: name }));
      const refused = await send("?upsert=email&remove-missing=1999", lines);
      assert.deepEqual([refused.status, refused["missing"], await store.revision()], [409, 2000, before]);
      const { updated, removed } = await send("?upsert=email&remove-missing=2000", lines);
      assert.deepEqual([updated, removed, await store.count()], [2000, 2000, 2000]);
    }));

  it("may be that of the records that a query finds", () =>
    withStore(async (store) => {
      await store.createAll(named(2500));
      const send = listsTo(store, bulk);
      const change = { merge: { email: "a@example.org" } };
      assert.equal((await send("?all=true&most=2499", change)).status, 409);
      const { matched, updated } = await send("?all=true&most=all", change);
      assert.deepEqual([matched, updated], [2500, 2500]);
      assert.equal(await store.count({ filters: [{ member: "email", operator: "eq", value: "a@example.org" }] }), 2500);
    }));
});

describe("an Idempotency-Key of a list", () => {
  const key = { "Idempotency-Key": '"k-1"' };

  it("has the same list answered as before, and nothing stored twice", () =>
    withStore(async (store) => {
      const send = listsTo(store);
      const lines = [{ name: "Ada" }, { name: "" }, { name: "Eve" }];
      const first = await send("", lines, { ...key, ...lenient });
      assert.deepEqual([first["stored"], first["refused"]], [2, 1]);
      assert.deepEqual(await send("", lines, { ...key, ...lenient }), first);
      assert.equal(await store.count(), 2);
      for (const other of [
        () => send("", lines.slice(1), { ...key, ...lenient }),
        () => send("", [{ name: "Ada" }], key),
      ]) {
        const { status, type } = await other();
        assert.deepEqual([status, type], [422, "/problems/idempotency-key-reused"]);
      }
      const { status, updated } = await send("?all=true", { merge: { email: "e" } }, { "Idempotency-Key": "k-2" });
      assert.deepEqual([status, updated], [200, 2]);
      assert.equal((await send("?all=true", { merge: { email: "e" } }, { "Idempotency-Key": "k-2" }))["updated"], 2);
    }));

  it("keeps nothing of what was refused, nor of a dry run", () =>
    withStore(async (store) => {
      const send = listsTo(store);
      assert.equal((await send("", [{ name: "" }], key)).status, 400);
      assert.equal((await send("?dry-run=true", [{ name: "Ada" }], key)).status, 200);
      assert.equal((await send("", [{ name: "Ada" }], key))["stored"], 1);
    }));

  it("has a list that broke off go on behind what is stored", () =>
    withStore(async (store) => {
      let steps = 0;
      const failing: Store = Object.create(store, {
        changeAll: {
          value: (...given: Parameters<Store["changeAll"]>) => {
            if (++steps === 3) throw new StoreUnavailable("The disk is full");
            return store.changeAll(...given);
          },
        },
      });
      const send = listsTo(failing, { maxTogether: 1 });
      const lines = named(3500).map((line, n) => (n % 1000 === 7 ? { name: "" } : line));
      const headers = { ...key, ...lenient };
      const broken = await send("", lines, headers);
      assert.deepEqual([broken.status, broken["stored"], await store.count()], [503, 2000, 2000]);
      const { stored, refused } = await send("", lines, headers);
      assert.deepEqual([stored, refused, await store.count()], [3496, 4, 3496]);
    }));

  it("has one of several lists at the same time stored", () =>
    withStore(async (store) => {
      const send = listsTo(store);
      const answers = await Promise.all([1, 2, 3].map(() => send("", [{ name: "Ada" }], key)));
      const statuses = new Set(answers.map(({ status }) => status));
      // One that comes when another is stored gets the report of that.
      assert(statuses.has(200) && statuses.isSubsetOf(new Set([200, 409])), `${[...statuses]}`);
      assert.equal(await store.count(), 1);
    }));
});

it("two lists at the same time that upsert one value store one record", () =>
  withStore(async (store) => {
    const send = listsTo(store);
    const lines = [{ name: "Ada", email: "ada@example.org" }];
    const answers = await Promise.all(Array.from({ length: 4 }, () => send("?upsert=email", lines)));
    assert.deepEqual(answers.map(({ stored, unchanged }) => `${stored} ${unchanged}`).toSorted(), [
      ...Array(3).fill("0 1"),
      "1 0",
    ]);
    assert.equal(await store.count(), 1);
  }));

it("a dry run reports what the request then does, and changes nothing", async () => {
  const text = fc.constantFrom("a", "b", "c", "d", "e");
  const optional = fc.option(text, { nil: undefined });
  const record = fc.record({
    id: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined, freq: 2 }),
    name: fc.constantFrom("x", "y", "z", "x", "y", "z", "x", ""),
    email: optional,
    code: optional,
  });
  const stored = fc.uniqueArray(record, { selector: ({ code }) => code ?? {}, maxLength: 6 });
  const query = fc.constantFrom(
    "",
    "?upsert=code",
    "?upsert=email",
    "?upsert=email&absent=clear",
    "?upsert=code&remove-missing=3",
  );
  const isLong = fc.boolean();
  await fc.assert(
    fc.asyncProperty(
      stored,
      fc.array(record, { maxLength: 8 }),
      query,
      fc.boolean(),
      isLong,
      async (before, lines, asked, each, long) =>
        withStore(async (store) => {
          for (const { id: _, ...document } of before) if (document.name !== "") await store.create(document);
          const send = listsTo(store, { maxTogether: long ? 1000 : 20_000 });
          // Some others make a list of several steps, in which ids that nobody has named are not known before.
          const middle = Array.from({ length: long ? 1000 : 0 }, (_, n) => ({
            name: "w",
            email: `m${n}`,
            code: `m${n}`,
          }));
          const sent = lines.map(({ id, ...line }) => (long ? line : { id, ...line }));
          const list = [...sent.slice(0, 4), ...middle, ...sent.slice(4)];
          const headers = each && !asked.includes("remove") ? lenient : {};
          const content = await contentOf(store);
          const dry = await send(`${asked}${asked === "" ? "?" : "&"}dry-run=true`, list, headers);
          assert.deepEqual(await contentOf(store), content);
          const real = await send(asked, list, headers);
          if (real.status === 200) assert.deepEqual(dry, real);
          else {
            assert.ok(dry.status === real.status || Number(dry["refused"]) > 0, JSON.stringify([dry, real]));
            const known = (dry["errors"] as readonly object[] | undefined)?.map((each) => JSON.stringify(each)) ?? [];
            // A list with invalid records is not compared with what is stored.
            for (const each of dry.status === 200 && !long ? (real["errors"] as readonly object[]) : []) {
              assert.ok(known.includes(JSON.stringify(each)));
            }
          }
        }),
    ),
    { numRuns: runs(60) },
  );
});

describe("?dry-run=true", () => {
  it("finds the unique values and ids of earlier lines, but not of those that are refused", () =>
    withStore(async (store) => {
      await store.create({ name: "Ada", code: "A" });
      const { errors, ...counts } = await listsTo(store)("?dry-run=true", [
        { name: "a", code: "B" },
        { name: "b", code: "B" },
        { name: "", code: "C" },
        { name: "c", code: "C" },
        { name: "d", id: 500 },
        { name: "e", id: 500, code: "D" },
        { name: "f", code: "D" },
        { name: "g", code: "A" },
      ]);
      assert.deepEqual(counts, { status: 200, stored: 4, refused: 4 });
      const found = (errors as readonly { readonly line: number; readonly pointer: string }[]).map(
        ({ line, pointer }) => `${line} ${pointer}`,
      );
      assert.deepEqual(found, ["2 #/code", "3 #/name", "6 #/id", "8 #/code"]);
      assert.equal(await store.count(), 1);
    }));

  it("knows which values the earlier steps of a long list keep, and which they give up", () =>
    withStore(async (store) => {
      await store.create({ name: "Ada", email: "a", code: "A" });
      const others = named(1000).map(({ name }) => ({ name, email: name }));
      for (const [code, refused] of [
        ["A", 1],
        ["B", 0],
      ] as const) {
        const list = [{ name: "Ada", email: "a", code }, ...others, { name: "Eve", email: "e", code: "A" }];
        const answer = await listsTo(store, { maxTogether: 1000 })("?upsert=email&dry-run=true", list);
        assert.deepEqual([answer["refused"], answer["stored"]], [refused, 1001 - refused]);
      }
    }));

  it("is asked for by true, and nothing else", () =>
    withStore(async (store) => {
      for (const query of ["?dry-run=false", "?dry-run", "?dryrun=true", "?dry-run=true&limit=1"]) {
        const { status, type } = await listsTo(store)(query, [{ name: "Ada" }]);
        assert.deepEqual([status, type, await store.count()], [400, "/problems/invalid-parameters", 0], query);
      }
    }));

  it("ends when more records are faulty than the limit, with the conflicts", () =>
    withStore(async (store) => {
      await store.create({ name: "Ada", code: "A" });
      const lines = [...Array(5).fill({ name: "" }), ...Array(20).fill({ name: "Ada", code: "A" })];
      const { status, type, refused } = await listsTo(store, { maxRefused: 10 })("?dry-run=true", lines);
      assert.deepEqual([status, type, refused], [400, "/problems/invalid-content", 25]);
    }));

  it("is made of a JSON array, and not of one record", () =>
    withStore(async (store) => {
      const app = router(collection({ path: "/books", store, schema, listDecoders: [jsonArrayDecoder] }).routes());
      const { status, value } = await ask(app, "POST /books?dry-run=true", {}, [{ name: "Ada" }, { name: "" }]);
      assert.deepEqual([status, value.stored, value.refused, await store.count()], [200, 1, 1, 0]);
      for (const [query, content] of [
        ["?dry-run=true", { name: "Ada" }],
        ["?dry-run=1", []],
      ] as const) {
        const refused = await ask(app, `POST /books${query}`, {}, content);
        assert.deepEqual([refused.status, refused.value.type], [400, "/problems/invalid-parameters"], query);
      }
    }));
});
