import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  type App,
  contentType,
  DELETE,
  GET,
  group,
  HttpRequest,
  type HttpResponse,
  PATCH,
  POST,
  PUT,
  router,
} from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import { type CollectionOptions, collection, type Database, openDatabase, type Store } from "../../src/index.ts";
import { jsonPatchType, mergePatchType } from "../../src/internal.ts";

const schema = z.strictObject({
  id: z.int().optional(),
  name: z.string().min(1),
  identifier: z.string().optional(),
  address: z.strictObject({ city: z.string().optional(), country: z.string().optional() }).optional(),
});

type Thing = z.infer<typeof schema>;

let database: Database;
let store: Store;
let app: App;

function appOver(options?: Partial<CollectionOptions<Thing>>): App {
  const things = collection<Thing>({ path: "/things", store, schema, decoders: [jsonDecoder], ...options });
  return router(
    group(
      "/things",
      GET("/{id}", things.read),
      GET(things.list),
      POST(things.create),
      POST("/{id}", things.refuseCreate),
      PUT("/{id}", things.replace),
      PATCH("/{id}", contentType(...things.amendTypes), things.amend),
      DELETE("/{id}", things.remove),
    ),
  );
}

beforeEach(async () => {
  await openThings();
  app = appOver();
});

afterEach(() => database.close());

async function openThings(): Promise<void> {
  database = await openDatabase(":memory:", {
    collections: [{ name: "things", members: { identifier: { unique: true } } }],
  });
  store = database.store("things");
}

async function ask(
  method: string,
  target: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  const type = method === "PATCH" ? mergePatchType : "application/json";
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return app.handle(HttpRequest.of({ method, target, headers: { "Content-Type": type, ...headers }, ...sent }));
}

const add = (body: unknown): Promise<HttpResponse> => ask("POST", "/things", body);

async function thing(id = 1): Promise<Record<string, unknown>> {
  return JSON.parse(String((await ask("GET", `/things/${id}`)).body));
}

const tagOf = async (target: string): Promise<string> => (await ask("GET", target)).headers.get("ETag") ?? "";

const problemOf = ({ body }: HttpResponse): { code: string; pointers: readonly string[]; detail: string } => {
  const { type, errors = [], detail } = JSON.parse(String(body));
  return {
    code: type.slice("/problems/".length),
    pointers: errors.map((each: { pointer: string }) => each.pointer),
    detail,
  };
};

describe("PUT of a record", () => {
  it("replaces it whole: 204 without content or validator, and what was left out is gone", async () => {
    await add({ name: "Ada", identifier: "a" });
    const { createdAt } = await thing();
    const response = await ask("PUT", "/things/1", { name: "Grace" });
    assert.equal(response.status, 204);
    assert.equal(response.body, null);
    assert.deepEqual([response.headers.has("ETag"), response.headers.has("Last-Modified")], [false, false]);
    const { id, name, identifier, createdAt: kept } = await thing();
    assert.deepEqual({ id, name, identifier, kept }, { id: 1, name: "Grace", identifier: undefined, kept: createdAt });
  });

  it("twice the same is the same: the second changes nothing, not even the entity tag", async () => {
    await add({ name: "Ada" });
    await ask("PUT", "/things/1", { name: "Grace" });
    const before = [await thing(), await tagOf("/things/1")];
    assert.equal((await ask("PUT", "/things/1", { name: "Grace" })).status, 204);
    assert.deepEqual([await thing(), await tagOf("/things/1")], before);
  });

  it("takes back what was read, as it was read", async () => {
    await add({ name: "Ada", address: { city: "London" } });
    assert.equal((await ask("PUT", "/things/1", await thing())).status, 204);
  });

  it("refuses other values of members that the server sets, together with all other errors", async () => {
    await add({ name: "Ada" });
    const response = await ask("PUT", "/things/1", {
      id: 2,
      createdAt: "2020-01-01T00:00:00.000Z",
      name: "",
      extra: 1,
    });
    assert.equal(response.status, 400);
    assert.deepEqual(problemOf(response).pointers.slice(0, 3), ["#/id", "#/createdAt", "#/name"]);
    assert.equal((await thing())["name"], "Ada");
    assert.equal((await ask("GET", "/things/2")).status, 404);
  });

  for (const [what, body] of [
    ["an array", []],
    ["text", "x"],
    ["null", null],
    ["a number", 1],
  ] as const) {
    it(`refuses ${what} with 400`, async () => {
      await add({ name: "Ada" });
      assert.equal((await ask("PUT", "/things/1", body)).status, 400);
    });
  }

  it("never creates: 404 without content, whatever is sent", async () => {
    for (const body of [{ name: "Ada" }, { nonsense: true }]) {
      const response = await ask("PUT", "/things/7", body);
      assert.deepEqual([response.status, response.body], [404, null]);
    }
    assert.equal((await ask("GET", "/things/7")).status, 404);
  });

  it("refuses the unique value of another record, and takes its own", async () => {
    await add({ name: "Ada", identifier: "a" });
    await add({ name: "Grace", identifier: "g" });
    const refused = await ask("PUT", "/things/2", { name: "Grace", identifier: "a" });
    assert.equal(refused.status, 409);
    assert.deepEqual(problemOf(refused).pointers, ["#/identifier"]);
    assert.equal((await ask("PUT", "/things/2", { name: "G.", identifier: "g" })).status, 204);
  });
});

describe("PATCH of a record", () => {
  it("merges what is sent: 204 with the new entity tag", async () => {
    await add({ name: "Ada", identifier: "a", address: { city: "London", country: "GB" } });
    const response = await ask("PATCH", "/things/1", { identifier: null, address: { city: "Paris" } });
    assert.deepEqual([response.status, response.body], [204, null]);
    assert.equal(response.headers.get("ETag"), await tagOf("/things/1"));
    const { name, identifier, address } = await thing();
    assert.deepEqual(
      { name, identifier, address },
      {
        name: "Ada",
        identifier: undefined,
        address: { city: "Paris", country: "GB" },
      },
    );
  });

  const refusals: readonly [what: string, patch: unknown, pointers: readonly string[]][] = [
    ["a result that breaks a rule", { name: "" }, ["#/name"]],
    ["a result that lacks a member", { name: null }, ["#/name"]],
    [
      "members that the server sets, each once",
      { id: 1, createdAt: null, updatedAt: "x" },
      ["#/id", "#/createdAt", "#/updatedAt"],
    ],
    ["those and what else is wrong", { id: 1, name: 5 }, ["#/id", "#/name"]],
    ["what is no object", ["name"], ["#"]],
    ["null", null, ["#"]],
  ];
  for (const [what, patch, pointers] of refusals) {
    it(`refuses ${what}, and changes nothing`, async () => {
      await add({ name: "Ada" });
      const before = await thing();
      const response = await ask("PATCH", "/things/1", patch);
      assert.equal(response.status, 400);
      assert.deepEqual(problemOf(response).pointers, pointers);
      assert.deepEqual(await thing(), before);
    });
  }

  it("is 404 without content for a missing record, and 415 in another format, with the right ones named", async () => {
    assert.equal((await ask("PATCH", "/things/1", { name: "Ada" })).status, 404);
    await add({ name: "Ada" });
    const refused = await ask("PATCH", "/things/1", { name: "Grace" }, { "Content-Type": "text/plain" });
    assert.deepEqual(
      [refused.status, refused.headers.get("Accept-Patch")],
      [415, `${mergePatchType}, ${jsonPatchType}, application/json`],
    );
  });

  it("takes plain JSON as a merge patch, and says how a JSON Patch is sent", async () => {
    await add({ name: "Ada" });
    const json = { "Content-Type": "application/json" };
    assert.equal((await ask("PATCH", "/things/1", { name: "Grace" }, json)).status, 204);
    assert.equal((await thing())["name"], "Grace");
    const refused = await ask("PATCH", "/things/1", [{ op: "remove", path: "/name" }], json);
    assert.equal(refused.status, 400);
    assert.match(String(refused.body), /send a JSON Patch as application\/json-patch\+json/);
  });

  it("loses no change where two change different members at once", async () => {
    await add({ name: "Ada" });
    const cities = Array.from({ length: 20 }, (_, i) => ask("PATCH", "/things/1", { address: { city: `city ${i}` } }));
    const countries = Array.from({ length: 20 }, (_, i) => ask("PATCH", "/things/1", { address: { country: `${i}` } }));
    const statuses = (await Promise.all([...cities, ...countries])).map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 204),
      String(statuses),
    );
    const { address } = await thing();
    assert.deepEqual(Object.keys(address as object).toSorted(), ["city", "country"]);
  });
});

describe("PATCH of a record by operations", () => {
  const type = { "Content-Type": jsonPatchType };

  it("does all of them: 204 with the new entity tag", async () => {
    await add({ name: "Ada", address: { city: "London", country: "GB" } });
    const patch = [
      { op: "test", path: "/id", value: 1 },
      { op: "copy", from: "/name", path: "/identifier" },
      { op: "move", from: "/address/city", path: "/name" },
      { op: "add", path: "/address/city", value: "Paris" },
    ];
    const response = await ask("PATCH", "/things/1", patch, type);
    assert.deepEqual([response.status, response.body], [204, null]);
    assert.equal(response.headers.get("ETag"), await tagOf("/things/1"));
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...own } = await thing();
    assert.deepEqual(own, { name: "London", address: { city: "Paris", country: "GB" }, identifier: "Ada" });
  });

  it("takes the whole of a record, as it was read or without what the server sets", async () => {
    await add({ name: "Ada" });
    for (const value of [{ ...(await thing()), name: "Grace" }, { name: "Joan" }]) {
      assert.equal((await ask("PATCH", "/things/1", [{ op: "replace", path: "", value }], type)).status, 204);
      assert.equal((await thing())["name"], value.name);
    }
  });

  const refusals: readonly [what: string, patch: unknown, status: number, code: string, pointers: readonly string[]][] =
    [
      ["a test that fails", [{ op: "test", path: "/name", value: "B" }], 409, "patch-conflict", ["#/0"]],
      [
        "a path that leads nowhere",
        [
          { op: "add", path: "/name", value: "B" },
          { op: "remove", path: "/identifier" },
        ],
        409,
        "patch-conflict",
        ["#/1"],
      ],
      [
        "what copies too much",
        Array.from({ length: 30 }, (_, i) => ({ op: "copy", from: "", path: `/a${i}` })),
        422,
        "patch-too-large",
        ["#/13"],
      ],
      ["what is no patch", [{ op: "add", path: "name" }], 400, "invalid-content", ["#/0/path", "#/0/value"]],
      ["an object", { name: "B" }, 400, "invalid-content", ["#"]],
      ["a result that breaks a rule", [{ op: "remove", path: "/name" }], 400, "invalid-content", ["#/name"]],
      ["a result that is no object", [{ op: "replace", path: "", value: 1 }], 400, "invalid-content", ["#"]],
      ["a result with an unknown member", [{ op: "add", path: "/__proto__", value: 1 }], 400, "invalid-content", ["#"]],
      [
        "changes of what the server sets",
        [
          { op: "replace", path: "/id", value: 1 },
          { op: "move", from: "/createdAt", path: "/name" },
          { op: "remove", path: "/updatedAt" },
        ],
        400,
        "invalid-content",
        ["#/0/path", "#/1/from", "#/2/path"],
      ],
      [
        "another id in the whole",
        [{ op: "replace", path: "", value: { id: 2, name: "B" } }],
        400,
        "invalid-content",
        ["#/id"],
      ],
    ];
  for (const [what, patch, status, code, pointers] of refusals) {
    it(`refuses ${what}, and changes nothing`, async () => {
      await add({ name: "Ada" });
      const before = [await thing(), await tagOf("/things/1")];
      const response = await ask("PATCH", "/things/1", patch, type);
      assert.deepEqual([response.status, problemOf(response).code], [status, code]);
      assert.deepEqual(problemOf(response).pointers, pointers);
      assert.deepEqual([await thing(), await tagOf("/things/1")], before);
    });
  }

  it("names the operation that cannot be done", async () => {
    await add({ name: "Ada" });
    const { detail } = problemOf(await ask("PATCH", "/things/1", [{ op: "remove", path: "/nick" }], type));
    const told =
      'Operation 0 of the patch, counted from 0, cannot be applied: there is no member "nick". Nothing was changed.';
    assert.equal(detail, told);
  });

  const misspelt: readonly [path: string, reason: string][] = [
    ["/nmae", 'there is no member "nmae"; did you mean name? Nothing'],
    ["/identifer", 'there is no member "identifer"; did you mean identifier? Nothing'], // which the record lacks
    ["/identifier", 'there is no member "identifier". Nothing'],
    ["/address/ctiy", 'there is no member "ctiy"; did you mean city? Nothing'],
    ["/address/nmae", 'there is no member "nmae". Nothing'],
  ];
  for (const [path, reason] of misspelt) {
    it(`says what a name may have meant: ${path}`, async () => {
      await add({ name: "Ada", address: { city: "London" } });
      for (const operation of [
        { op: "remove", path },
        { op: "test", path, value: 1 },
        { op: "replace", path, value: 1 },
      ]) {
        const { detail = "" } = problemOf(await ask("PATCH", "/things/1", [operation], type));
        assert.ok(detail.includes(`cannot be applied: ${reason} was changed.`), detail);
      }
    });
  }

  it("loses no addition where many add at once", async () => {
    await add({ name: "xxx" });
    const patch = [
      { op: "copy", from: "/name", path: "/identifier" },
      { op: "test", path: "/id", value: 1 },
    ];
    const patches = Array.from({ length: 20 }, () => ask("PATCH", "/things/1", patch, type));
    const others = Array.from({ length: 20 }, (_, i) => ask("PATCH", "/things/1", { address: { city: `${i}` } }));
    const statuses = (await Promise.all([...patches, ...others])).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([204]));
    const { identifier, address } = await thing();
    assert.equal(identifier, "xxx");
    assert.ok(address);
  });
});

describe("DELETE of a record", () => {
  it("removes it: 200 without content, then 404", async () => {
    await add({ name: "Ada" });
    const response = await ask("DELETE", "/things/1");
    assert.deepEqual([response.status, response.body], [200, null]);
    for (const method of ["GET", "DELETE"]) assert.equal((await ask(method, "/things/1")).status, 404);
  });

  it("does not free its id", async () => {
    await add({ name: "Ada" });
    await ask("DELETE", "/things/1");
    assert.equal((await add({ name: "Grace" })).headers.get("Location"), "/things/2");
    assert.equal((await add({ id: 1, name: "Joan" })).status, 409);
  });
});

describe("POST to a record", () => {
  it("is 409 where there is one, else 404 without content", async () => {
    await add({ name: "Ada" });
    assert.equal((await ask("POST", "/things/1", { name: "Grace" })).status, 409);
    const response = await ask("POST", "/things/2", { name: "Grace" });
    assert.deepEqual([response.status, response.body], [404, null]);
  });
});

it("every change of a record refuses an id that is not an integer", async () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    const response = await ask(method, "/things/abc", {});
    assert.deepEqual([response.status, problemOf(response).code], [400, "invalid-id"], method);
  }
});

describe("validators", () => {
  it("of a record are strong and change with each change, two within one second too", async () => {
    await add({ name: "Ada" });
    const tags = new Set([await tagOf("/things/1")]);
    for (const name of ["B", "C", "D"]) {
      await ask("PUT", "/things/1", { name });
      tags.add(await tagOf("/things/1"));
    }
    assert.equal(tags.size, 4);
    for (const tag of tags) assert.match(tag, /^"[\x21\x23-\x7e]+"$/);
  });

  it("spare a client what it has: 304 without content, with the fields of the 200 that caches go by", async () => {
    await add({ name: "Ada" });
    for (const target of ["/things/1", "/things"]) {
      const whole = await ask("GET", target);
      const tag = whole.headers.get("ETag") ?? "";
      const spared = await ask("GET", target, undefined, { "If-None-Match": tag });
      assert.deepEqual([spared.status, spared.body], [304, null], target);
      for (const name of ["ETag", "Cache-Control", "Last-Modified"]) {
        assert.equal(spared.headers.get(name), whole.headers.get(name), `${name} of ${target}`);
      }
      assert.equal(spared.headers.has("Content-Type"), false);
    }
  });

  it("of the collection change with every change of a record", async () => {
    const tags = [await tagOf("/things")];
    for (const change of [
      () => add({ name: "Ada" }),
      () => ask("PUT", "/things/1", { name: "Grace" }),
      () => ask("PATCH", "/things/1", { name: "Joan" }),
      () => ask("DELETE", "/things/1"),
    ]) {
      await change();
      tags.push(await tagOf("/things"));
    }
    assert.equal(new Set(tags).size, 5);
  });

  it("by time: not modified since is 304, in each form of a date", async () => {
    await add({ name: "Ada" });
    const { headers } = await ask("GET", "/things/1");
    const time = headers.get("Last-Modified") ?? "";
    assert.equal((await ask("GET", "/things/1", undefined, { "If-Modified-Since": time })).status, 304);
    const before = new Date(Date.parse(time) - 1000).toUTCString();
    assert.equal((await ask("GET", "/things/1", undefined, { "If-Modified-Since": before })).status, 200);
  });
});

describe("preconditions of a change", () => {
  for (const [method, body, success] of [
    ["PUT", { name: "Grace" }, 204],
    ["PATCH", { name: "Grace" }, 204],
    ["DELETE", undefined, 200],
  ] as const) {
    it(`${method} is done with the present tag, and 412 with another, which changes nothing`, async () => {
      await add({ name: "Ada" });
      const stale = await tagOf("/things/1");
      await ask("PUT", "/things/1", { name: "Changed" });
      const refused = await ask(method, "/things/1", body, { "If-Match": stale });
      assert.deepEqual([refused.status, problemOf(refused).code], [412, "precondition-failed"]);
      assert.equal((await thing())["name"], "Changed");
      assert.equal((await ask(method, "/things/1", body, { "If-Match": await tagOf("/things/1") })).status, success);
    });

    it(`${method} judges them after the record is found, and before the content is read`, async () => {
      assert.equal((await ask(method, "/things/1", body, { "If-Match": "*" })).status, 404);
      await add({ name: "Ada" });
      const malformed = HttpRequest.of({
        method,
        target: "/things/1",
        headers: { "Content-Type": mergePatchType, "If-Match": '"x"' },
        body: "{",
      });
      assert.equal((await app.handle(malformed)).status, 412);
    });

    it(`${method} without any is 428 where they are required`, async () => {
      app = appOver({ requirePreconditions: true });
      await add({ name: "Ada" });
      assert.equal((await ask(method, "/things/1", body)).status, 428);
      assert.equal((await ask(method, "/things/1", body, { "If-Unmodified-Since": "yesterday" })).status, 428);
      assert.equal((await ask(method, "/things/1", body, { "If-Match": await tagOf("/things/1") })).status, success);
    });
  }

  it("let exactly one of a hundred changes with one tag succeed", async () => {
    await add({ name: "Ada" });
    const tag = await tagOf("/things/1");
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => ask("PUT", "/things/1", { name: `name ${i}` }, { "If-Match": tag })),
    );
    const statuses = responses.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [204, ...Array.from({ length: 99 }, () => 412)]);
  });
});
