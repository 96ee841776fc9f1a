import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, accept, GET, group, router } from "waymark";
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
import { ask as askOf } from "../tools/ask.ts";

/** A page is shown, not saved: it has no extension. */
const html = { name: "page", mediaType: "text/html", contentType: "text/html" };
const page: Representation = { ...html, item: ({ id }) => `<p>${id}` };

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

const ask = (target: string, headers: Readonly<Record<string, string>> = {}) =>
  askOf(app, `GET /users/1/b%C3%BCcher${target}`, headers);

describe("?format=", () => {
  const day = "\\d{4}-\\d\\d-\\d\\d";
  const csvFile = new RegExp(
    `^attachment; filename="b_cher-${day}\\.csv"; filename\\*=UTF-8''b%C3%BCcher-${day}\\.csv$`,
  );

  it("chooses the format of a list before Accept, and names the file after the collection and the day", async () => {
    for (const Accept of ["*/*", "application/json, */*;q=0.1", "text/csv;q=0.1, application/xml"]) {
      const { header, text } = await ask("?format=csv", { Accept });
      assert.equal(header("Content-Type"), "text/csv; charset=utf-8; header=present");
      assert.match(header("Content-Disposition") ?? "", csvFile);
      assert.equal(header("Vary"), "Prefer, Accept");
      assert.equal(text, "title\r\nEmma\r\nPersuasion\r\n");
    }
  });

  it("is recognised when its name has percent escapes", async () => {
    assert.equal((await ask("?%66orma%74=csv")).text, "title\r\nEmma\r\nPersuasion\r\n");
  });

  it("chooses what a record is sent as, as a file with its id", async () => {
    const { header } = await ask("/2?format=xml");
    assert.equal(header("Content-Type"), "application/xml; charset=utf-8");
    assert.match(header("Content-Disposition") ?? "", /^attachment; filename="b_cher-2\.xml";/);
    assert.equal(header("ETag"), (await ask("/2", { Accept: "application/xml" })).header("ETag"));
  });

  it("is in the links of the pages of a list", async () => {
    assert.match((await ask("?format=csv&limit=1")).links["next"] ?? "", /\?format=csv&limit=1&after=/);
  });

  it("can be combined with fields", async () => assert.equal((await ask("/1?fields=id&format=json")).text, '{"id":1}'));

  it("names no file for a format that has no file extension", async () => {
    const { header, text } = await ask("/1?format=page");
    assert.deepEqual([header("Content-Disposition"), text], [undefined, "<p>1"]);
  });

  it("is not what a file is made of by Accept", async () => {
    assert.equal((await ask("", { Accept: "text/csv" })).header("Content-Disposition"), undefined);
  });

  it("answers 304 as ever", async () => {
    const entityTag = (await ask("?format=csv")).header("ETag") ?? "";
    assert.equal((await ask("?format=csv", { "If-None-Match": entityTag })).status, 304);
  });

  // biome-ignore format: a table
  const wrong: readonly [target: string, detail: RegExp][] = [
    ["?format=cvs", /^The parameter "format" is "cvs", which is not a format here; did you mean csv\? Known: json, xml, csv\.$/],
    ["/1?format=csv", /"csv", which is not a format here\. Known: json, xml, page\.$/],
    ["?format=", /has no value/],
    ["?format=csv&format=json", /is given more than once/],
    ["?formt=csv", /"formt" is not known here; did you mean format\?/],
  ];
  for (const [target, detail] of wrong) {
    it(`is refused in ${target}`, async () => {
      const { status, value } = await ask(target);
      assert.equal(status, 400);
      assert.match(value.detail, detail);
    });
  }
});
