import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, accept, GET, group, HttpRequest, type HttpResponse, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import {
  collection,
  csvRepresentation,
  type Database,
  jsonRepresentation,
  openDatabase,
  type Representation,
  xmlRepresentation,
} from "../../src/index.ts";

/** A page is shown, not saved: it has no extension. */
const page: Representation = {
  name: "page",
  mediaType: "text/html",
  contentType: "text/html",
  item: ({ id }) => `<p>${id}`,
};

let database: Database;
let app: App;

before(async () => {
  database = await openDatabase(":memory:", { collections: [{ name: "user" }, { name: "book" }] });
  const [user, book] = ["user", "book"].map((name) => database.store(name));
  assert.ok(user !== undefined && book !== undefined);
  await user.create({ name: "Ada" });
  await book.create({ title: "Emma" });
  await book.create({ title: "Persuasion" });
  const books = collection({
    path: "/users/{userId}/bücher",
    store: book,
    schema: z.strictObject({ title: z.string() }),
    decoders: [jsonDecoder],
    representations: [
      jsonRepresentation,
      xmlRepresentation({ root: "b", list: "bs" }),
      csvRepresentation({ columns: ["title"] }),
      page,
    ],
  });
  app = router(
    group(
      "/users/{userId}/bücher",
      GET("/{id}", accept(...books.itemTypes), books.read),
      GET(accept(...books.listTypes), books.list),
    ),
  );
});

after(() => database.close());

const ask = async (target: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> =>
  app.handle(HttpRequest.of({ target: `/users/1/b%C3%BCcher${target}`, headers }));

async function textOf({ body }: HttpResponse): Promise<string> {
  if (typeof body === "string") return body;
  let text = "";
  for await (const piece of body as AsyncIterable<string>) text += piece;
  return text;
}

describe("?format=", () => {
  const day = "\\d{4}-\\d\\d-\\d\\d";
  const csvFile = new RegExp(
    `^attachment; filename="b_cher-${day}\\.csv"; filename\\*=UTF-8''b%C3%BCcher-${day}\\.csv$`,
  );

  it("chooses the format of a list before Accept, and names the file after the collection and the day", async () => {
    for (const Accept of ["*/*", "application/json, */*;q=0.1", "text/csv;q=0.1, application/xml"]) {
      const response = await ask("?format=csv", { Accept });
      assert.equal(response.headers.get("Content-Type"), "text/csv; charset=utf-8; header=present");
      assert.match(response.headers.get("Content-Disposition") ?? "", csvFile);
      assert.equal(response.headers.get("Vary"), "Prefer, Accept");
      assert.equal(await textOf(response), "title\r\nEmma\r\nPersuasion\r\n");
    }
  });

  it("is recognised when its name has percent escapes", async () => {
    const response = await ask("?%66orma%74=csv");
    assert.equal(response.headers.get("Content-Type"), "text/csv; charset=utf-8; header=present");
  });

  it("chooses what a record is sent as, as a file with its id", async () => {
    const response = await ask("/2?format=xml");
    assert.equal(response.headers.get("Content-Type"), "application/xml; charset=utf-8");
    assert.match(response.headers.get("Content-Disposition") ?? "", /^attachment; filename="b_cher-2\.xml";/);
    assert.equal(response.headers.get("ETag"), (await ask("/2", { Accept: "application/xml" })).headers.get("ETag"));
  });

  it("is in the links of the pages of a list", async () => {
    const link = (await ask("?format=csv&limit=1")).headers.get("Link") ?? "";
    assert.match(link, /<[^>]*\?format=csv&limit=1&after=[^>]*>; rel="next"/);
  });

  it("can be combined with fields", async () => {
    assert.equal(await textOf(await ask("/1?fields=id&format=json")), '{"id":1}');
  });

  it("names no file for a format that has no file extension", async () => {
    const response = await ask("/1?format=page");
    assert.deepEqual([response.headers.get("Content-Disposition"), await textOf(response)], [undefined, "<p>1"]);
  });

  it("is not what a file is made of by Accept", async () => {
    assert.equal((await ask("", { Accept: "text/csv" })).headers.has("Content-Disposition"), false);
  });

  it("answers 304 as ever", async () => {
    const entityTag = (await ask("?format=csv")).headers.get("ETag") ?? "";
    const response = await ask("?format=csv", { "If-None-Match": entityTag });
    assert.equal(response.status, 304);
  });

  const wrong: readonly [target: string, detail: RegExp][] = [
    [
      "?format=cvs",
      /^The parameter "format" is "cvs", which is not a format here; did you mean csv\? Known: json, xml, csv\.$/,
    ],
    ["/1?format=csv", /"csv", which is not a format here\. Known: json, xml, page\.$/],
    ["?format=", /has no value/],
    ["?format=csv&format=json", /is given more than once/],
    ["?formt=csv", /"formt" is not known here; did you mean format\?/],
  ];
  for (const [target, detail] of wrong) {
    it(`is refused in ${target}`, async () => {
      const response = await ask(target);
      assert.equal(response.status, 400);
      assert.match(JSON.parse(await textOf(response)).detail, detail);
    });
  }
});
