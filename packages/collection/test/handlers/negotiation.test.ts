import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, accept, contentType, GET, group, HttpRequest, PATCH, PUT, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { openApi } from "waymark/openapi";
import { z } from "zod";
import {
  collection,
  csvDecoder,
  csvRepresentation,
  type Database,
  excelCsvRepresentation,
  jsonLdRepresentation,
  jsonRepresentation,
  openDatabase,
  type Representation,
  type Store,
  xmlDecoder,
  xmlRepresentation,
} from "../../src/index.ts";
import { ask as askOf } from "../tools/ask.ts";

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

const ask = (line: string, headers: Readonly<Record<string, string>> = {}, content?: unknown) =>
  askOf(app, line, headers, content);

describe("the representation that Accept chooses", () => {
  for (const [target, accepted, contentType, expected] of [
    ["/things/1", undefined, "application/json", /^\{"id":1,"name":"Ada"/],
    ["/things/1", "text/x-shout", "text/x-shout; charset=utf-8", /^\{"ID":1,"NAME":"ADA"/],
    ["/things/1", "text/x-card, application/json;q=0.5", "text/x-card", /^card 1$/],
    ["/things", "*/*", "application/json", /^\[\{"id":1,.*\]$/],
    ["/things", "text/*", "text/x-shout; charset=utf-8", /^\{"ID":1,.*\n$/],
    ["/things", "text/x-count", "text/x-count", /^1$/],
  ] as const) {
    it(`is ${contentType} for ${accepted ?? "no Accept"} at ${target}`, async () => {
      const { status, header, text } = await ask(`GET ${target}`, accepted === undefined ? {} : { Accept: accepted });
      assert.deepEqual([status, header("Content-Type")], [200, contentType]);
      assert.match(text, expected);
      assert.match(header("Vary") ?? "", /\bAccept\b/);
    });
  }

  for (const [target, accepted, available] of [
    ["/things/1", "text/x-count", ["application/json", "text/x-shout", "text/x-card"]],
    ["/things", "text/x-card", ["application/json", "text/x-shout", "text/x-count"]],
  ] as const) {
    it(`does not exist for ${accepted} at ${target}: 406 names the available ones`, async () => {
      const { status, value } = await ask(`GET ${target}`, { Accept: accepted });
      assert.deepEqual([status, value.available], [406, available]);
    });

    it(`is one of those in the document, at ${target}`, async () => {
      const { paths } = await openApi(app, { title: "Things", version: "1" });
      const described = JSON.stringify(paths[target.replace("1", "{id}")]?.["get"]);
      for (const type of available) assert.ok(described.includes(`"${type}"`), type);
    });
  }
});

describe("entity tags", () => {
  it("differ between the representations of one state, and are those of the 304", async () => {
    for (const target of ["GET /things/1", "GET /things"]) {
      const Accept = "text/x-shout";
      const [json = "", shout = ""] = [
        (await ask(target)).header("ETag"),
        (await ask(target, { Accept })).header("ETag"),
      ];
      assert.notEqual(json, shout);
      const same = await ask(target, { Accept, "If-None-Match": shout });
      assert.deepEqual([same.status, same.header("ETag")], [304, shout]);
      assert.equal((await ask(target, { Accept, "If-None-Match": json })).status, 200);
      assert.equal((await ask(target.replace("GET", "HEAD"), { Accept })).header("ETag"), shout);
    }
  });

  it("of any representation name the state that a change is meant for, while it lasts", async () => {
    for (const Accept of ["application/json", "text/x-shout", "text/x-card"]) {
      const tag = (await ask("GET /things/1", { Accept })).header("ETag") ?? "";
      const put = () => ask("PUT /things/1", { "If-Match": tag }, { name: `by ${Accept}` });
      assert.deepEqual([(await put()).status, (await put()).status], [204, 412], Accept);
    }
  });
});

describe("the representations of a collection", () => {
  it("are JSON only, by default", () => {
    const { itemTypes, listTypes } = collection({ ...options, store });
    assert.deepEqual([itemTypes, listTypes], [["application/json"], ["application/json"]]);
  });

  // biome-ignore format: a table
  for (const [what, wrong, message] of [
    ["with one name", [jsonRepresentation, { ...shout, name: "json" }], /two representations have the name "json"/i],
    ["with one media type", [jsonRepresentation, { ...jsonRepresentation, name: "x" }], /mediaType "application\/json"/],
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

describe("options that are not those of the types are refused, as of a program without types", () => {
  // biome-ignore format: a table
  const wrong: readonly [make: (given: never) => unknown, name: string, given: unknown, message: string | RegExp][] = [
    [collection, "collection", { representation: [] }, /has no option "representation"; did you mean representations\? Known: path, /],
    [collection, "collection", { ...options, mayRead: true }, "collection({ mayRead }) is of the type function, not boolean"],
    [csvRepresentation, "csvRepresentation", { columns: 1 }, "csvRepresentation({ columns }) is of the type array, not number"],
    [csvDecoder, "csvDecoder", { columns: "id" }, "csvDecoder({ columns }) is of the type array, not string"],
    [excelCsvRepresentation, "excelCsvRepresentation", undefined, /takes an object of options, not undefined\. Known: columns, dates$/],
    [xmlRepresentation, "xmlRepresentation", { list: ["b"] }, "xmlRepresentation({ list }) is of the type string, not array"],
    [xmlDecoder, "xmlDecoder", { rot: "a" }, /has no option "rot"; did you mean root\? Known: root, namespace, numbers, booleans, lists$/],
    [jsonLdRepresentation, "jsonLdRepresentation", { toNode: {} }, "jsonLdRepresentation({ toNode }) is of the type function, not object"],
  ];
  for (const [make, name, given, message] of wrong) {
    it(`of ${name}: ${message}`, () => assert.throws(() => make(given as never), { name: "TypeError", message }));
  }
});
