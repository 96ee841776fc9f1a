import assert from "node:assert/strict";
import { after, it } from "node:test";
import { collection, openDatabase, type Representation } from "@waymark/collection";
import { router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { openApi } from "waymark/openapi";
import { z } from "zod";

/** Each member on a line of its own, and an empty line behind each record: all that a new representation takes. */
const lines: Representation = {
  name: "lines",
  extension: "txt",
  mediaType: "text/x-lines",
  contentType: "text/x-lines; charset=utf-8",
  item: ({ json }) => textOf(json),
  list: () => ({ item: ({ json }) => textOf(json), between: "\n" }),
};

const textOf = (json: string): string =>
  Object.entries(JSON.parse(json))
    .filter(([name]) => !name.endsWith("At"))
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

const database = await openDatabase(":memory:", { collections: [{ name: "book" }] });
after(() => database.close());
const books = collection({
  path: "/books",
  store: database.store("book"),
  schema: z.strictObject({ title: z.string(), isbn: z.string().optional() }),
  decoders: [jsonDecoder],
  representations: [lines],
});
const app = router(books.routes());

const ask = async (target: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
  app.fetch(new Request(`http://localhost${target}`, { method, headers }));

await database.store("book").createAll([{ title: "Emma", isbn: "1" }, { title: "Persuasion" }]);

for (const [target, accept, status, text] of [
  ["/books/1", "text/*", 200, "id=1\ntitle=Emma\nisbn=1\n"],
  ["/books", "text/x-lines", 200, "id=1\ntitle=Emma\nisbn=1\n\nid=2\ntitle=Persuasion\n"],
  ["/books?limit=1&fields=title", "*/*", 200, "title=Emma\n"],
  ["/books/2?format=lines", "*/*", 200, "id=2\ntitle=Persuasion\n"],
  ["/books/1", "application/json", 406, /text\/x-lines/],
] as const) {
  it(`a representation from outside answers GET ${target} with Accept: ${accept}`, async () => {
    const response = await ask(target, { Accept: accept });
    assert.equal(response.status, status);
    const content = await response.text();
    if (typeof text === "string") assert.equal(content, text);
    else assert.match(content, text);
  });
}

it("a representation from outside has entity tags, 304, HEAD and the name of a file", async () => {
  const first = await ask("/books/1");
  const tag = first.headers.get("ETag") ?? "";
  assert.match(tag, /^"\d+-lines"$/);
  assert.equal((await ask("/books/1", { "If-None-Match": tag })).status, 304);
  assert.equal((await ask("/books/1", {}, "HEAD")).headers.get("ETag"), tag);
  const saved = await ask("/books/1?format=lines");
  assert.match(saved.headers.get("Content-Disposition") ?? "", /\.txt/);
});

it("a representation from outside is in the OpenAPI document", async () => {
  const { paths } = await openApi(app, { title: "Books", version: "1" });
  for (const path of ["/books", "/books/{id}"]) {
    const get = (paths[path] as Readonly<Record<string, { readonly responses: object }>>)["get"]; // of this path
    assert.match(JSON.stringify(get?.responses), /"text\/x-lines"/);
  }
});
