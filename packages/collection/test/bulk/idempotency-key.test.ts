import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, GET, group, POST, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { access } from "waymark/filters";
import { z } from "zod";
import { type CollectionOptions, collection, type Database, openDatabase, type Store } from "../../src/index.ts";

const schema = z.strictObject({ name: z.string().min(1), code: z.string().optional() });

let database: Database;
let app: App;

function appWith(options: Partial<CollectionOptions<z.infer<typeof schema>>> = {}): App {
  const things = collection({
    path: "/things",
    store: database.store("things"),
    schema,
    decoders: [jsonDecoder],
    ...options,
  });
  return router(group("/things", GET("/{id}", things.read), GET(things.list), POST(things.create)));
}

beforeEach(async () => {
  database = await openDatabase(":memory:", { collections: [{ name: "things", members: { code: { unique: true } } }] });
  app = appWith();
});

afterEach(() => database.close());

async function post(body: unknown, key?: string, more: Readonly<Record<string, string>> = {}) {
  const headers = { "Content-Type": "application/json", ...(key !== undefined && { "Idempotency-Key": key }), ...more };
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  const response = await app.fetch(new Request("http://localhost/things", { method: "POST", headers, body: sent }));
  const text = await response.text();
  const type = response.headers.get("Content-Type") === "application/problem+json" ? JSON.parse(text).type : undefined;
  return { status: response.status, text, type, header: (name: string) => response.headers.get(name) };
}

const count = async (): Promise<number> => await database.store("things").count();

describe("an Idempotency-Key", () => {
  it("has the same request answered as before, and nothing stored twice", async () => {
    const answers = [await post({ name: "Ada" }, '"k-1"'), await post({ name: "Ada" }, '"k-1"')];
    for (const { status, text, header } of answers) {
      assert.deepEqual([status, text, header("Location")], [201, "", "/things/1"]);
    }
    assert.equal(await count(), 1);
  });

  it("gives the record as it was created, and no text of one that was changed or removed since", async () => {
    const prefer = { Prefer: "return=representation" };
    const first = await post({ name: "Ada" }, '"k"', prefer);
    const again = await post({ name: "Ada" }, '"k"', prefer);
    assert.deepEqual([again.status, again.text, again.header("ETag")], [201, first.text, first.header("ETag")]);
    const store = database.store("things");
    for (const change of [() => store.replace(1, { name: "Grace" }), () => store.remove(1)]) {
      await change();
      const last = await post({ name: "Ada" }, '"k"', prefer);
      assert.deepEqual([last.status, last.text, last.header("ETag")], [201, "", null]);
      assert.equal(last.header("Location"), first.header("Location"));
      assert.equal(last.header("Preference-Applied"), null);
    }
  });

  it("is another with each other text, and without one each request is another", async () => {
    for (const key of ['"a"', '"A"', undefined, undefined]) await post({ name: "Ada" }, key);
    assert.equal(await count(), 4);
  });

  it("is the same quoted and bare", async () => {
    for (const key of ['"k-1"', "k-1", ' "k-1" ']) assert.equal((await post({ name: "Ada" }, key)).status, 201);
    assert.equal(await count(), 1);
  });

  it("used for other content is a 422, which stores nothing", async () => {
    await post({ name: "Ada" }, '"k"');
    for (const [body, more] of [
      [{ name: "Grace" }, {}],
      ['{ "name": "Ada" }', {}],
      [{ name: "Ada" }, { "Content-Type": "application/json; charset=utf-8" }],
    ] as const) {
      const { status, type } = await post(body, '"k"', more);
      assert.deepEqual([status, type], [422, "/problems/idempotency-key-reused"]);
    }
    assert.equal(await count(), 1);
  });

  it("is used up by success only: a refused request can be corrected and sent again", async () => {
    await post({ name: "Ada", code: "A" });
    for (const [body, status] of [
      ["{", 400],
      [{ name: "" }, 400],
      [{ name: "Eve", code: "A" }, 409],
      [{ name: "Eve", code: "B" }, 201],
    ] as const) {
      assert.equal((await post(body, '"k"')).status, status);
    }
  });

  it("of a request that is not answered yet is a 409 with Retry-After", async () => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const inner = database.store("things");
    const slow: Store = Object.create(inner, {
      create: {
        value: async (...given: Parameters<Store["create"]>) => {
          begin();
          await stored;
          return inner.create(...given);
        },
      },
    });
    app = appWith({ store: slow });
    const first = post({ name: "Ada" }, '"k"');
    await begun;
    for (const body of [{ name: "Ada" }, { name: "Grace" }]) {
      const { status, type, header } = await post(body, '"k"');
      assert.deepEqual([status, type, header("Retry-After")], [409, "/problems/idempotency-key-in-use", "1"]);
    }
    store();
    assert.equal((await first).status, 201);
    assert.equal((await post({ name: "Ada" }, '"k"')).header("Location"), "/things/1");
  });

  it("of fifty requests at once stores one", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post({ name: "Ada" }, '"k"')));
    const statuses = new Set(answers.map(({ status }) => status));
    assert.ok(statuses.isSubsetOf(new Set([201, 409])), [...statuses].join());
    assert.equal(await count(), 1);
  });

  it("is each caller's own, and each path's", async () => {
    app = appWith({ idempotencyScope: (request) => request.header("X-Caller") ?? "" });
    for (const caller of ["a", "b", "a"]) await post({ name: "Ada" }, '"k"', { "X-Caller": caller });
    assert.equal(await count(), 2);
    app = appWith({ path: "/others" });
    await post({ name: "Ada" }, '"k"');
    assert.equal(await count(), 3);
  });

  it("belongs to the caller that the access check found, by default", async () => {
    const things = collection({ path: "/things", store: database.store("things"), schema, decoders: [jsonDecoder] });
    const guard = access((request) => ({
      kind: "allowed",
      caller: { id: request.header("X-Caller") ?? "nobody", scopes: [] },
    }));
    app = router(group("/things", guard, POST(things.create)));
    for (const caller of ["a", "b", "a"]) await post({ name: "Ada" }, '"k"', { "X-Caller": caller });
    assert.equal(await count(), 2);
  });

  const keys: readonly [field: string, isKey: boolean][] = [
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', true],
    ["8e03978e-40d5-43e8-bc93-6894a57f9324", true],
    ['" "', true],
    ['"a\\"b\\\\c"', true],
    [`"${"x".repeat(255)}"`, true],
    [`"${"x".repeat(256)}"`, false],
    ["x".repeat(256), false],
    ['""', false],
    ["", false],
    ['"a', false],
    ['a"', false],
    ['"a"b', false],
    ['"a", "b"', false],
    ["a, b", false],
    ["a b", false],
    ['"a\\b"', false],
    ['"\\"', false],
    ['"é"', false],
    ['"\t"', false],
    ['"a";p=1', false],
    [":YWJj:", false],
    ["?1", false],
  ];
  for (const [field, isKey] of keys) {
    it(`may ${isKey ? "" : "not "}be ${field.slice(0, 50)}`, async () => {
      const { status, type } = await post({ name: "Ada" }, field);
      assert.deepEqual([status, type], isKey ? [201, undefined] : [400, "/problems/invalid-idempotency-key"]);
      assert.equal(await count(), isKey ? 1 : 0);
    });
  }
});
