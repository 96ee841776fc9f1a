import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, HttpResponse, router } from "waymark";
import { z } from "zod";
import {
  type CollectionOptions,
  collection,
  type Database,
  jsonRepresentation,
  openDatabase,
  type Representation,
  type Store,
} from "../../src/index.ts";
import { type Answer, ask as askOf } from "../tools/ask.ts";

const lines: Representation = {
  name: "lines",
  mediaType: "text/x-lines",
  contentType: "text/x-lines; charset=utf-8",
  item: ({ json }) => Object.values(JSON.parse(json)).join("\n"),
};
const members = { id: z.int().optional(), name: z.string().min(1), city: z.string().optional() };
const schema = z.strictObject(members);

let database: Database;
let app: App;

function appWith(options?: Partial<CollectionOptions<z.infer<typeof schema>>>): App {
  const lenient = { lenientSchema: z.object(members), representations: [jsonRepresentation, lines] };
  const things = collection({ path: "/things", store: database.store("things"), schema, ...lenient, ...options });
  return router(things.routes());
}

beforeEach(async () => {
  database = await openDatabase(":memory:", { collections: [{ name: "things" }] });
  app = appWith();
});

afterEach(() => database.close());

const ask = (method: string, target: string, prefer?: string, content?: unknown, more = {}): Promise<Answer> =>
  askOf(app, `${method} ${target}`, { ...(prefer !== undefined && { Prefer: prefer }), ...more }, content);

/** Each change, and its status without content and with the record. */
const changes: readonly [method: string, target: string, body: unknown, plain: number, whole: number][] = [
  ["POST", "/things", { name: "Grace" }, 201, 201],
  ["PUT", "/things/1", { name: "Grace" }, 204, 200],
  ["PATCH", "/things/1", { name: "Grace" }, 204, 200],
  ["DELETE", "/things/1", undefined, 200, 200],
];

describe("return=representation", () => {
  for (const [method, target, body, , status] of changes) {
    it(`has ${method} answered with the record, and says so`, async () => {
      await ask("POST", "/things", undefined, { name: "Ada" });
      const before = await ask("GET", "/things/1");
      const answer = await ask(method, target, "return=representation", body);
      assert.deepEqual(
        [answer.status, answer.header("Preference-Applied"), answer.header("Content-Type")],
        [status, "return=representation", "application/json"],
      );
      assert.match(answer.header("Vary") ?? "", /Accept, Prefer/);
      const now = await ask("GET", method === "POST" ? "/things/2" : "/things/1");
      assert.equal(answer.text, method === "DELETE" ? before.text : now.text);
    });
  }

  it("comes with Content-Location and validators, but for PUT, which must not have them, and DELETE, after which there is nothing", async () => {
    await ask("POST", "/things", undefined, { name: "Ada" });
    for (const [method, target, body] of changes) {
      const answer = await ask(method, target, "return=representation", body);
      const location = method === "DELETE" ? undefined : method === "POST" ? "/things/2" : "/things/1";
      assert.equal(answer.header("Content-Location"), location);
      const { header } = await ask("GET", location ?? "/things/1");
      const isTold = method === "POST" || method === "PATCH";
      for (const name of ["ETag", "Last-Modified"]) {
        assert.equal(answer.header(name), isTold ? header(name) : undefined, `${name} of ${method}`);
      }
    }
  });

  it("comes in the representation that Accept chooses, with its entity tag", async () => {
    const wish = ["return=representation", { name: "Ada" }, { Accept: "text/x-lines" }] as const;
    const answer = await ask("POST", "/things", ...wish);
    const { text } = await ask("GET", "/things/1");
    assert.deepEqual(
      [answer.header("Content-Type"), answer.text],
      ["text/x-lines; charset=utf-8", Object.values(JSON.parse(text)).join("\n")],
    );
    assert.equal(answer.header("ETag"), '"1-lines"');
  });

  it("is ignored, and the change made, where no representation is acceptable", async () => {
    for (const [method, target, body, status] of changes) {
      const answer = await ask(method, target, "return=representation", body, { Accept: "text/html" });
      const expected = method === "POST" ? status : answer.status;
      assert.deepEqual([answer.status, answer.text, answer.header("Preference-Applied")], [expected, "", undefined]);
    }
    assert.equal((await ask("GET", "/things/1")).status, 404);
  });

  it("keeps the status and the fields of a collection's own answer", async () => {
    app = appWith({
      created: ({ id, revision }, location) =>
        new HttpResponse(200, { Location: location, "X-Own": `${id} ${revision}` }),
    });
    const { status, header, value } = await ask("POST", "/things", "return=representation", { id: 7, name: "Ada" });
    assert.deepEqual([status, header("Location"), header("X-Own"), value.name], [200, "/things/7", "7 1", "Ada"]);
    const { text } = await ask("POST", "/things", undefined, { name: "Ada" });
    assert.equal(text, "");
  });

  it("sends back what a DELETE removed, also when it was changed just before", async () => {
    const store = database.store("things");
    await store.create({ name: "first" });
    let isChanged = false;
    const changing: Store = Object.create(store, {
      find: { value: (id: number) => store.find(id) },
      remove: {
        value: async (...given: Parameters<Store["remove"]>) => {
          if (!isChanged) await store.replace(1, { name: "changed" });
          isChanged = true;
          return store.remove(...given);
        },
      },
    });
    app = appWith({ store: changing });
    const { status, value } = await ask("DELETE", "/things/1", "return=representation");
    assert.deepEqual([status, value.name], [200, "changed"]);
    assert.equal(await store.find(1), undefined);
  });
});

describe("return=minimal", () => {
  for (const [method, target, body, status] of changes) {
    it(`has ${method} answered without content, and says so`, async () => {
      await ask("POST", "/things", undefined, { name: "Ada" });
      const answer = await ask(method, target, "return=minimal", body);
      assert.deepEqual(
        [answer.status, answer.text, answer.header("Preference-Applied")],
        [status, "", "return=minimal"],
      );
    });
  }
});

describe("preferences", () => {
  for (const [stated, applied] of [
    ["return=representation, return=minimal", "return=representation"],
    ["return=minimal, return=representation", "return=minimal"],
    ["RETURN=minimal", "return=minimal"],
    ["wait=10, return=minimal; x=y, respond-async", "return=minimal"],
    ["return=nothing", undefined],
    ["return", undefined],
    ["count=exact", undefined],
    ["__proto__=x, constructor", undefined],
    ["handling=strict, return=minimal", "handling=strict, return=minimal"],
    ["", undefined],
  ] as const) {
    it(`"${stated}" are applied as ${applied ?? "none"}`, async () => {
      const answer = await ask("POST", "/things", stated, { name: "Ada" });
      assert.deepEqual([answer.status, answer.header("Preference-Applied")], [201, applied]);
    });
  }

  for (const [method, target, body] of changes) {
    it(`that ${method} cannot follow are a 400 under handling=strict, which changes nothing`, async () => {
      await ask("POST", "/things", undefined, { name: "Ada" });
      const before = (await ask("GET", "/things")).text;
      for (const unknown of ["respond-async", "return=nothing", "wait=10", "count=exact"]) {
        const answer = await ask(method, target, `handling=strict, ${unknown}`, body);
        const { type, detail, available } = answer.value;
        assert.deepEqual([answer.status, type], [400, "/problems/unknown-preference"]);
        assert.equal(detail, `Unknown with handling=strict: "${unknown}".`);
        assert.deepEqual(available.slice(0, 2), ["return=representation", "return=minimal"]);
      }
      assert.equal((await ask("GET", "/things")).text, before);
    });
  }
});

describe("handling=lenient", () => {
  for (const [method, target] of changes.slice(0, 3)) {
    it(`leaves out what ${method} sends and no record has, and says so`, async () => {
      await ask("POST", "/things", undefined, { name: "Ada" });
      const body = { name: "Grace", nickname: "Amazing" };
      assert.equal((await ask(method, target, undefined, body)).status, 400);
      const answer = await ask(method, target, "return=representation, handling=lenient", body);
      assert.equal(answer.header("Preference-Applied"), "return=representation, handling=lenient");
      const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...own } = answer.value;
      assert.deepEqual(own, { name: "Grace" });
      const faulty = await ask(method, target, "handling=lenient", { ...body, name: "" });
      assert.deepEqual([faulty.status, faulty.value.errors.length], [400, 1]);
    });
  }

  it("is not followed where the collection has no lenient schema", async () => {
    const things = collection({ path: "/things", store: database.store("things"), schema });
    app = router(things.routes());
    assert.equal((await ask("POST", "/things", "handling=lenient", { name: "Ada", x: 1 })).status, 400);
    const answer = await ask("POST", "/things", "handling=lenient", { name: "Ada" });
    assert.deepEqual([answer.status, answer.header("Preference-Applied")], [201, undefined]);
  });
});

describe("parameters", () => {
  it("that are not known are refused by name, and nothing is changed", async () => {
    await ask("POST", "/things", undefined, { name: "Ada" });
    const before = (await ask("GET", "/things")).text;
    for (const [method, target, body] of [...changes, ["GET", "/things/1"], ["POST", "/things/1", {}]] as const) {
      const answer = await ask(method, `${target}?delete=1&limit=2&delete=2`, undefined, body);
      const { type, errors } = answer.value;
      assert.deepEqual([answer.status, type], [400, "/problems/invalid-parameters"], `${method} ${target}`);
      assert.deepEqual(errors.map(({ parameter }: { parameter: string }) => parameter).toSorted(), [
        ...["delete", "delete", "limit"],
      ]);
    }
    assert.equal((await ask("GET", "/things")).text, before);
  });

  it("of a record choose its members, in their order", async () => {
    await ask("POST", "/things", undefined, { name: "Ada", city: "London" });
    assert.equal((await ask("GET", "/things/1?fields=city,id")).text, '{"city":"London","id":1}');
    assert.equal((await ask("GET", "/things/1?")).status, 200);
    assert.equal((await ask("GET", "/things/2?fields=city")).status, 404);
    assert.equal((await ask("GET", "/things/1?fields=town")).status, 400);
  });
});

describe("PUT with Content-Range", () => {
  it("is refused: it would be a part (RFC 9110 §14.5)", async () => {
    await ask("POST", "/things", undefined, { name: "Ada" });
    const answer = await ask("PUT", "/things/1", undefined, { name: "B" }, { "Content-Range": "bytes 0-9/100" });
    assert.deepEqual([answer.status, answer.value.type], [400, "/problems/partial-content"]);
    assert.equal((await ask("GET", "/things/1")).value.name, "Ada");
  });
});
