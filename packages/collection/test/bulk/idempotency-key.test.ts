import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, group, POST, router } from "waymark";
import { access } from "waymark/filters";
import { z } from "zod";
import { type CollectionOptions, collection, type Database, openDatabase, type Store } from "../../src/index.ts";
import { type Answer, ask } from "../tools/ask.ts";

const schema = z.strictObject({ name: z.string().min(1), code: z.string().optional() });

let database: Database;
let app: App;

function appWith(options: Partial<CollectionOptions<z.infer<typeof schema>>> = {}): App {
  return router(collection({ path: "/things", store: database.store("things"), schema, ...options }).routes());
}

beforeEach(async () => {
  database = await openDatabase(":memory:", { collections: [{ name: "things", members: { code: { unique: true } } }] });
  app = appWith();
});

afterEach(() => database.close());

const post = (body: unknown, key?: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  ask(app, "POST /things", { ...(key !== undefined && { "Idempotency-Key": key }), ...more }, body);

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
      assert.deepEqual([last.status, last.text, last.header("ETag")], [201, "", undefined]);
      assert.equal(last.header("Location"), first.header("Location"));
      assert.equal(last.header("Preference-Applied"), undefined);
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
      const { status, value } = await post(body, '"k"', more);
      assert.deepEqual([status, value.type], [422, "/problems/idempotency-key-reused"]);
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
      const { status, value, header } = await post(body, '"k"');
      assert.deepEqual([status, value.type, header("Retry-After")], [409, "/problems/idempotency-key-in-use", "1"]);
    }
    store();
    assert.equal((await first).status, 201);
    assert.equal((await post({ name: "Ada" }, '"k"')).header("Location"), "/things/1");
  });

  it("is each caller's own, and each path's", async () => {
    app = appWith({ idempotencyScope: (request) => request.header("X-Caller") ?? "" });
    for (const caller of ["a", "b", "a"]) await post({ name: "Ada" }, '"k"', { "X-Caller": caller });
    assert.equal(await count(), 2);
    app = appWith({ path: "/others" });
    await ask(app, "POST /others", { "Idempotency-Key": '"k"' }, { name: "Ada" });
    assert.equal(await count(), 3);
  });

  it("belongs to the caller that the access check found, by default", async () => {
    const things = collection({ path: "/things", store: database.store("things"), schema });
    const guard = access((request) => ({
      kind: "allowed",
      caller: { id: request.header("X-Caller") ?? "nobody", scopes: [] },
    }));
    app = router(group("/things", guard, POST(things.create)));
    for (const caller of ["a", "b", "a"]) await post({ name: "Ada" }, '"k"', { "X-Caller": caller });
    assert.equal(await count(), 2);
  });

  // biome-ignore format: a table
  const keys: readonly [isKey: boolean, fields: readonly string[]][] = [
    [true, ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', "8e03978e-40d5-43e8-bc93-6894a57f9324", '" "', '"a\\"b\\\\c"', `"${"x".repeat(255)}"`]],
    [false, [`"${"x".repeat(256)}"`, "x".repeat(256), '""', "", '"a', 'a"', '"a"b', '"a", "b"', "a, b", "a b", '"a\\b"', '"\\"', '"é"', '"\t"']],
    [false, ['"a";p=1', ":YWJj:", "?1"]],
  ];
  for (const [isKey, fields] of keys) {
    for (const field of fields) {
      it(`may ${isKey ? "" : "not "}be ${field.slice(0, 50)}`, async () => {
        const { status, value } = await post({ name: "Ada" }, field);
        assert.deepEqual([status, value?.type], isKey ? [201, undefined] : [400, "/problems/invalid-idempotency-key"]);
        assert.equal(await count(), isKey ? 1 : 0);
      });
    }
  }
});
