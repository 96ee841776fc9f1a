import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, accept, contentType, GET, group, HttpRequest, PATCH, PUT, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import {
  collection,
  csvDecoder,
  csvRepresentation,
  type Database,
  excelCsvRepresentation,
  jsonLdRepresentation,
  jsonRepresentation,
  ndjsonRepresentation,
  openDatabase,
  type Representation,
  type Store,
  xmlDecoder,
  xmlRepresentation,
} from "../../src/index.ts";

const shout: Representation = {
  name: "shout",
  mediaType: "text/x-shout",
  contentType: "text/x-shout; charset=utf-8",
  item: ({ json }) => json.toUpperCase(),
  list: () => ({ item: ({ json }) => `${json.toUpperCase()}\n` }),
};
const count: Representation = {
  name: "count",
  mediaType: "text/x-count",
  contentType: "text/x-count",
  list: () => {
    let counted = 0;
    return { item: () => `${++counted}` };
  },
};
const card: Representation = {
  name: "card",
  mediaType: "text/x-card",
  contentType: "text/x-card",
  item: ({ id }) => `card ${id}`,
};

const schema = z.strictObject({ name: z.string() });
const options = { path: "/things", schema, decoders: [jsonDecoder] };
const representations = [jsonRepresentation, shout, count, card];

let database: Database;
let store: Store;
let app: App;

beforeEach(async () => {
  database = await openDatabase(":memory:", { collections: [{ name: "things" }] });
  store = database.store("things");
  const things = collection({ ...options, store, representations });
  app = router(
    group(
      "/things",
      GET("/{id}", accept(...things.itemTypes), things.read),
      GET(accept(...things.listTypes), things.list),
      PUT("/{id}", things.replace),
      PATCH("/{id}", contentType(...things.amendTypes), things.amend),
    ),
  );
  await store.create({ name: "Ada" });
});

afterEach(() => database.close());

async function ask(target: string, headers: Readonly<Record<string, string>>, method = "GET", body?: string) {
  const request = new Request(`http://localhost${target}`, { method, headers, ...(body && { body }) });
  const response = await app.fetch(request);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("the representation that Accept chooses", () => {
  const cases: readonly [target: string, accepted: string | undefined, contentType: string, text: RegExp][] = [
    ["/things/1", undefined, "application/json", /^\{"id":1,"name":"Ada"/],
    ["/things/1", "*/*", "application/json", /^\{"id":1,/],
    ["/things/1", "text/x-shout", "text/x-shout; charset=utf-8", /^\{"ID":1,"NAME":"ADA"/],
    ["/things/1", "text/x-card, application/json;q=0.5", "text/x-card", /^card 1$/],
    ["/things", undefined, "application/json", /^\[\{"id":1,.*\]$/],
    ["/things", "text/x-shout", "text/x-shout; charset=utf-8", /^\{"ID":1,.*\n$/],
    ["/things", "text/*", "text/x-shout; charset=utf-8", /^\{"ID":1,.*\n$/],
    ["/things", "text/x-count", "text/x-count", /^1$/],
  ];
  for (const [target, accepted, contentType, expected] of cases) {
    it(`is ${contentType} for ${accepted ?? "no Accept"} at ${target}`, async () => {
      const { status, headers, text } = await ask(target, accepted === undefined ? {} : { Accept: accepted });
      assert.deepEqual([status, headers.get("Content-Type")], [200, contentType]);
      assert.match(text, expected);
      assert.match(headers.get("Vary") ?? "", /\bAccept\b/);
    });
  }

  for (const [target, accepted, available] of [
    ["/things/1", "text/x-count", ["application/json", "text/x-shout", "text/x-card"]],
    ["/things", "text/x-card", ["application/json", "text/x-shout", "text/x-count"]],
  ] as const) {
    it(`does not exist for ${accepted} at ${target}: 406 names the available ones`, async () => {
      const { status, text } = await ask(target, { Accept: accepted });
      assert.deepEqual([status, JSON.parse(text).available], [406, available]);
    });
  }
});

describe("entity tags", () => {
  it("differ between the representations of one state, and are those of the 304", async () => {
    for (const target of ["/things/1", "/things"]) {
      const json = await ask(target, {});
      const shouted = await ask(target, { Accept: "text/x-shout" });
      const [jsonTag, shoutTag] = [json, shouted].map(({ headers }) => headers.get("ETag") ?? "");
      assert.notEqual(jsonTag, shoutTag);
      const same = await ask(target, { Accept: "text/x-shout", "If-None-Match": `${shoutTag}` });
      assert.deepEqual([same.status, same.headers.get("ETag")], [304, shoutTag]);
      const other = await ask(target, { Accept: "text/x-shout", "If-None-Match": `${jsonTag}` });
      assert.equal(other.status, 200);
    }
  });

  it("of any representation name the state that a change is meant for, while it lasts", async () => {
    const headers = { "Content-Type": "application/json" };
    for (const accepted of ["application/json", "text/x-shout", "text/x-card"]) {
      const tag = (await ask("/things/1", { Accept: accepted })).headers.get("ETag") ?? "";
      const put = () => ask("/things/1", { ...headers, "If-Match": tag }, "PUT", `{"name":"by ${accepted}"}`);
      assert.deepEqual([(await put()).status, (await put()).status], [204, 412], accepted);
    }
  });
});

describe("the representations of a collection", () => {
  it("are JSON only, by default", () => {
    const { itemTypes, listTypes } = collection({ ...options, store });
    assert.deepEqual([itemTypes, listTypes], [["application/json"], ["application/json"]]);
  });

  for (const [what, wrong, message] of [
    ["with one name", [jsonRepresentation, { ...shout, name: "json" }], /two representations have the name "json"/i],
    [
      "with one media type",
      [jsonRepresentation, { ...jsonRepresentation, name: "x" }],
      /mediaType "application\/json"/,
    ],
    ["without a form for one record", [count], /"item"/],
    ["without a form for many", [card], /"list"/],
  ] as const) {
    it(`${what} are refused where the collection is made`, () => {
      assert.throws(() => collection({ ...options, store, representations: wrong }), message);
    });
  }

  it("that a route accepts and the collection does not have are a fault, which names both", async () => {
    const things = collection({ ...options, store, representations });
    const faults: unknown[] = [];
    const wrong = router(
      { onFault: (error) => faults.push(error) },
      GET("/things/{id}", accept("text/html"), things.read),
    );
    assert.equal((await wrong.handle(HttpRequest.of({ target: "/things/1" }))).status, 500);
    assert.match(String(faults[0]), /text\/html.*application\/json, text\/x-shout, text\/x-card/);
  });
});

it("an option that a collection does not have is refused, with the nearest", () => {
  const misspelt = { ...options, store, representation: [jsonRepresentation] }; // as of a program without types
  assert.throws(() => collection(misspelt), {
    name: "TypeError",
    message:
      /^collection\(\{ … \}\) has no option "representation"; did you mean representations\? Known: path, store, /,
  });
});

describe("options of another type are refused, as of a program without types", () => {
  const of = (make: (given: never) => unknown, given: unknown): (() => unknown) => {
    return () => make(given as never); // That it is not of the type is the point.
  };
  for (const [call, message] of [
    [
      of(collection, { ...options, store, mayRead: true }),
      "collection({ mayRead }) is of the type function, not boolean",
    ],
    [
      of(collection, { ...options, store, representations: ndjsonRepresentation }),
      "collection({ representations }) is of the type array, not object",
    ],
    [
      of(csvRepresentation, { column: [] }),
      'csvRepresentation({ … }) has no option "column"; did you mean columns? Known: columns, formulas',
    ],
    [of(csvDecoder, { columns: "id" }), "csvDecoder({ columns }) is of the type array, not string"],
    [
      of(excelCsvRepresentation, undefined),
      "excelCsvRepresentation({ … }) takes an object of options, not undefined. Known: columns, dates",
    ],
    [of(xmlRepresentation, { root: "a", list: ["b"] }), "xmlRepresentation({ list }) is of the type string, not array"],
    [
      of(xmlDecoder, { rot: "a" }),
      'xmlDecoder({ … }) has no option "rot"; did you mean root? Known: root, namespace, numbers, booleans, lists',
    ],
    [of(jsonLdRepresentation, { toNode: {} }), "jsonLdRepresentation({ toNode }) is of the type function, not object"],
  ] as const) {
    it(message, () => assert.throws(call, { name: "TypeError", message }));
  }
});
