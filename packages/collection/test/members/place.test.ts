import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, accept, GET, group, mount, or, POST, path, type Route, router } from "waymark";
import { describeProblems, publicUrl } from "waymark/filters";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { z } from "zod";
import type { HeaderObject } from "../../../waymark/src/openapi/document.ts";
import {
  type CollectionHandlers,
  collection,
  type Database,
  jsonLdRepresentation,
  jsonRepresentation,
  openDatabase,
} from "../../src/index.ts";
import { ask as askOf } from "../tools/ask.ts";

type Book = { readonly title: string };

let database: Database;
let books: CollectionHandlers<Book>;

const options = {
  schema: z.strictObject({ title: z.string() }),
  representations: [
    jsonRepresentation,
    jsonLdRepresentation({ context: "https://schema.org", toNode: ({ title }) => ({ name: title }) }),
  ],
};

beforeEach(async () => {
  database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
  books = collection({ ...options, path: "/books", store: database.store("book") });
});

afterEach(() => database.close());

const ask = (app: App, line: string, headers: Readonly<Record<string, string>> = {}, content?: unknown) =>
  askOf(app, line, headers, content);

/** The routes of the collection, written one by one. */
const byHand = (at: string): Route =>
  group(
    at,
    GET("/{id}", accept(...books.itemTypes), books.read),
    GET(accept(...books.listTypes), books.list),
    POST(books.create),
  );

// biome-ignore format: a table
const places: readonly [name: string, app: () => App, asked: string, named?: string][] = [
  ["its own path", () => router(books.routes()), "/books"],
  ["a group", () => router(group("/api", books.routes())), "/api/books"],
  ["a group in a group", () => router(group("/api", group("/v1", books.routes()))), "/api/v1/books"],
  ["a group with a variable", () => router(group("/{tenant}", books.routes())), "/a%2Fb%20%25%C3%BC%3F/books"],
  ["an or of two paths", () => router(group(or(path("/a"), path("/b")), books.routes())), "/b/books"],
  ["a group of another name", () => router(byHand("/library/novels")), "/library/novels"],
  ["a group whose name is no ASCII", () => router(byHand("/bücher")), "/b%C3%BCcher"],
  ["a mounted app", () => router(mount("/api", router(books.routes()))), "/api/books"],
  ["a mounted app in a group", () => router(group("/a", mount("/b", router(group("/c", books.routes()))))), "/a/b/c/books"],
  ["a mounted app in a mounted app", () => router(mount("/a/{b}", router(mount("/c", router(books.routes()))))), "/a/%3Fb/c/books"],
  [
    "a public URL",
    () => router({ filters: [publicUrl("https://example.org/x")] }, group("/api", books.routes())),
    "/api/books",
    "https://example.org/x/api/books",
  ],
  ["the root of an app", () => router(byHand("")), "", ""],
  ["the root of a mounted app", () => router(mount("/books", router(byHand("")))), "/books"],
];

describe("a collection names its records where it stands", () => {
  for (const [name, make, asked, named = asked] of places) {
    it(`${name}: ${named}/1`, async () => {
      const app = make();
      const listed = asked === "" ? "/" : asked;
      const stored = await ask(app, `POST ${listed}`, { Prefer: "return=representation" }, { title: "Emma" });
      assert.deepEqual(
        [stored.status, stored.header("Location"), stored.header("Content-Location")],
        [201, `${named}/1`, `${named}/1`],
      );
      await ask(app, `POST ${listed}`, {}, { title: "Evelina" });
      const linked = { Accept: "application/ld+json" };
      const read = await ask(app, `GET ${asked}/1`, linked);
      assert.deepEqual([read.status, JSON.parse(read.text)["@id"]], [200, `${named}/1`]);
      const page = await ask(app, `GET ${listed}?limit=1`, linked);
      assert.ok(page.text.includes(`"@id":"${named}/1"`), page.text);
      const { first, next = "" } = page.links;
      assert.ok(first === `${named}?limit=1` && next.startsWith(`${named}?limit=1&after=`), next);
      const second = await ask(app, `GET ${listed}${next.slice(named.length)}`);
      assert.equal(second.value[0].title, "Evelina");
    });
  }

  it("also in the answers to changes, and in the names of files", async () => {
    const app = router(group("/api", books.routes()));
    await ask(app, "POST /api/books", {}, { title: "Emma" });
    const preferred = { Prefer: "return=representation" };
    for (const method of ["PUT", "PATCH"]) {
      const changed = await ask(app, `${method} /api/books/1`, preferred, { title: method });
      assert.deepEqual([changed.status, changed.header("Content-Location")], [200, "/api/books/1"]);
    }
    const csv = { ...jsonRepresentation, name: "file", mediaType: "text/csv", extension: "csv" };
    const files = collection({ ...options, representations: [csv], store: database.store("book") });
    const inFiles = router(group("/api/novels", files.routes()));
    const file = await ask(inFiles, "GET /api/novels?format=file");
    assert.match(file.header("Content-Disposition") ?? "", /filename="novels-\d{4}-\d\d-\d\d\.csv"/);
  });

  it("and problems in a mounted app name the page of their kind below the public URL", async () => {
    const inner = router({ filters: [describeProblems()] }, books.routes());
    const app = router({ filters: [publicUrl("https://example.org")] }, mount("/api", inner));
    const { value } = await ask(app, "POST /api/books", {}, {});
    assert.deepEqual(
      [value.type, value.errors[0].pointer],
      ["https://example.org/api/problems/invalid-content", "#/title"],
    );
  });

  it("a mounted app has the same paths in the OpenAPI document", async () => {
    for (const [app, at] of [
      [router(group("/api", books.routes())), "/api/books"],
      [router(mount("/api", router(books.routes()))), "/api/books"],
      [router(byHand("/library/novels")), "/library/novels"],
    ] as const) {
      const { paths } = await openApi(app, { title: "Books", version: "1" });
      const create = paths[at]?.["post"] as OpenApiDocument.Operation; // under the name of a method
      assert.equal(create.operationId, at.endsWith("novels") ? "createNovels" : "createBooks");
      const { headers = {} } = create.responses["201"] as OpenApiDocument.Response; // it is there once
      assert.equal((headers["Location"] as HeaderObject).example, `${at}/1`); // likewise
    }
  });
});

describe("a handler of one record", () => {
  const wrong: readonly [name: string, route: () => Route][] = [
    ["without an id", () => group("/books", GET(books.read as never))],
    ["with an id of another name", () => GET("/books/{isbn}", books.read as never)],
    ["with something behind the id", () => GET("/books/{id}/cover", books.read)],
  ];
  for (const [name, route] of wrong) {
    it(`on a path ${name} is refused when the router is built, with the place`, () => {
      const message = /The path "[^"]*" must end in \{id\}, the id of the record \(.*place\.test\.ts:\d+:\d+\)/;
      assert.throws(() => router(route()), { name: "RoutingError", message });
    });
  }

  it("takes an id with an expression, or text around it", async () => {
    const app = router(
      POST("/books", books.create),
      GET("/books/{id:[0-9]{1,3}}", books.read),
      GET("/books/no-{id}", books.read),
    );
    await ask(app, "POST /books", {}, { title: "Emma" });
    assert.deepEqual([(await ask(app, "GET /books/1")).status, (await ask(app, "GET /books/no-1")).status], [200, 200]);
  });
});
