import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type App, contentType, DELETE, GET, group, PATCH, POST, PUT, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import { collection, type Database, jsonLdRepresentation, jsonRepresentation, openDatabase } from "../../src/index.ts";
import { mergePatchType } from "../../src/internal.ts";

const schema = z.strictObject({ title: z.string().min(1) });

let database: Database;
let app: App;

beforeEach(async () => {
  database = await openDatabase(":memory:", {
    collections: [
      { name: "user" },
      {
        name: "book",
        members: { title: { filter: "text" } },
        owner: { collection: "user", member: "userId" },
      },
    ],
  });
  const books = collection({
    store: database.store("book"),
    otherVariables: ["shelf"],
    schema,
    decoders: [jsonDecoder],
    representations: [
      jsonRepresentation,
      jsonLdRepresentation({ context: "https://schema.org", toNode: ({ title }) => ({ name: title }) }),
    ],
  });
  app = router(
    group(
      "/{shelf}/{userId}/books",
      GET(books.list),
      GET("/{id}", books.read),
      POST(books.create),
      POST("/{id}", books.refuseCreate),
      PUT("/{id}", books.replace),
      PATCH("/{id}", contentType(...books.amendTypes), books.amend),
      DELETE("/{id}", books.remove),
    ),
  );
  for (const name of ["Ada", "Grace"]) await database.store("user").create({ name });
  await database.store("book").within(1).create({ title: "Emma" });
  await database.store("book").within(2).create({ title: "Sanditon" });
});

afterEach(() => database.close());

async function ask(line: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const [method = "", target = ""] = line.split(" ");
  const type = method === "PATCH" ? mergePatchType : "application/json";
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const request = new Request(`http://localhost${target}`, {
    method,
    headers: { "Content-Type": type, ...headers },
    ...sent,
  });
  const response = await app.fetch(request);
  const text = await response.text();
  return { status: response.status, text, header: (name: string) => response.headers.get(name) };
}

const lines: readonly [line: (user: string, id: string) => string, body?: unknown][] = [
  [(user, id) => `GET /a/${user}/books/${id}`],
  [(user, id) => `PUT /a/${user}/books/${id}`, { title: "x" }],
  [(user, id) => `PATCH /a/${user}/books/${id}`, { title: "x" }],
  [(user, id) => `POST /a/${user}/books/${id}`, { title: "x" }],
  [(user, id) => `DELETE /a/${user}/books/${id}`],
];

describe("records of an owner", () => {
  it("are found, changed and removed below their owner, and nowhere else", async () => {
    const before = (await ask("GET /a/2/books")).text;
    for (const [line, body] of lines) {
      const { status, text } = await ask(line("1", "2"), body);
      assert.deepEqual([status, text], [404, ""], line("1", "2"));
    }
    assert.equal((await ask("GET /a/2/books")).text, before);
    assert.deepEqual(
      await Promise.all(lines.slice(0, 4).map(async ([line, body]) => (await ask(line("2", "2"), body)).status)),
      [200, 204, 204, 409],
    );
    assert.equal((await ask("DELETE /a/2/books/2")).status, 200);
    assert.equal((await ask("GET /a/2/books")).text, "[]");
  });

  it("are listed only below their owner, with pages whose links have the path", async () => {
    for (const title of ["Persuasion", "Lady Susan"]) await ask("POST /a/1/books", { title });
    const page = await ask("GET /a%20b/1/books?sort=title&limit=2&fields=title", undefined, { Prefer: "count=exact" });
    assert.deepEqual([page.text, page.header("X-Total-Count")], ['[{"title":"Emma"},{"title":"Lady Susan"}]', "3"]);
    const next = /<([^>]*)>; rel="next"/.exec(page.header("Link") ?? "")?.[1] ?? "";
    assert.ok(next.startsWith("/a%20b/1/books?sort=title"), next);
    assert.equal((await ask(`GET ${next}`)).text, '[{"title":"Persuasion"}]');
  });

  it("are created with the owner that the path names, at a Location below it", async () => {
    const created = await ask("POST /a%20b/2/books", { title: "Emma" }, { Prefer: "return=representation" });
    assert.deepEqual([created.status, created.header("Location")], [201, "/a%20b/2/books/3"]);
    assert.equal(created.header("Content-Location"), "/a%20b/2/books/3");
    assert.equal(JSON.parse(created.text).userId, 2);
  });

  it("are named below their owner in what names them", async () => {
    const headers = { Prefer: "return=representation", Accept: "application/ld+json" };
    const created = await ask("POST /a%20b/2/books", { title: "Emma" }, headers);
    assert.equal(created.text, '{"@context":"https://schema.org","@id":"/a%20b/2/books/3","name":"Emma"}');
  });

  it("can be sent back as they were read, and given to no other owner", async () => {
    const read = JSON.parse((await ask("GET /a/1/books/1")).text);
    assert.equal((await ask("PUT /a/1/books/1", { ...read, title: "Emma." })).status, 204);
    const now = JSON.parse((await ask("GET /a/1/books/1")).text);
    for (const [line, body] of [
      ["PUT /a/1/books/1", { ...now, userId: 2 }],
      ["PATCH /a/1/books/1", { userId: 2 }],
      ["PATCH /a/1/books/1", { userId: null }],
    ] as const) {
      const { status, text } = await ask(line, body);
      assert.deepEqual([status, JSON.parse(text).errors[0].pointer], [400, "#/userId"], line);
    }
    const operations = [{ op: "replace", path: "/userId", value: 2 }];
    const patched = await ask("PATCH /a/1/books/1", operations, { "Content-Type": "application/json-patch+json" });
    assert.deepEqual([patched.status, JSON.parse(patched.text).errors[0].pointer], [400, "#/0/path"]);
    assert.equal(JSON.parse((await ask("GET /a/1/books/1")).text).userId, 1);
  });

  const nowhere = [
    ...lines,
    [(user: string) => `GET /a/${user}/books`],
    [(user: string) => `POST /a/${user}/books`, { title: "x" }],
  ] as typeof lines;
  for (const [line, body] of nowhere) {
    it(`are nowhere without an owner: ${line("7", "1")} is 404 without content`, async () => {
      for (const user of ["7", "0", "-1", "9007199254740993"]) {
        const { status, text } = await ask(line(user, "1"), body);
        assert.deepEqual([status, text], [404, ""], user);
      }
      for (const user of ["abc", "01", "1.0"]) {
        const { status, text } = await ask(line(user, "1"), body);
        assert.deepEqual([status, JSON.parse(text).type], [400, "/problems/invalid-id"], user);
      }
    });
  }

  it("go with their owner", async () => {
    const tag = (await ask("GET /a/1/books")).header("ETag");
    await database.store("user").remove(2);
    assert.equal((await ask("GET /a/2/books/2")).status, 404);
    assert.equal(await database.store("book").find(2), undefined);
    assert.notEqual((await ask("GET /a/1/books")).header("ETag"), tag);
  });
});
