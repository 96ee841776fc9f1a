import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { HttpRequest } from "waymark";
import type { MediaType } from "waymark/fields";
import { csvDecoder, csvRepresentation, xmlDecoder, xmlRepresentation } from "../../src/index.ts";
import { listOf, storedRecord } from "../stores/stored-records.ts";
import { decodeList, inPieces } from "./decoded-list.ts";

const text = fc.string({ unit: fc.constantFrom(..."ab;\\[]\"', =\n"), minLength: 1, maxLength: 8 });
const lists = fc.array(text, { minLength: 1, maxLength: 5 });

describe("a list in CSV", () => {
  const columns = ["id", "tags"];
  const decoder = csvDecoder({ columns, numbers: ["id"], lists: ["tags"] });
  const cellOf = async (tags: unknown): Promise<string> =>
    (await listOf(csvRepresentation({ columns: ["tags"] }), [storedRecord({ tags })])).slice("tags\r\n".length, -2);

  for (const [tags, cell] of [
    [["press"], "press"],
    [["press", "book club"], "press; book club"],
    [["a;b", "c\\d"], "a\\;b; c\\\\d"],
    [["[x]"], "\\[x]"],
    [["=1+1"], "'=1+1"],
    [[" a"], '"["" a""]"'],
    [[{ value: "a" }], '"[{""value"":""a""}]"'],
    [[], "[]"],
  ] as const) {
    it(`is ${cell} for ${JSON.stringify(tags)}`, async () => assert.equal(await cellOf(tags), cell));
  }

  for (const [cell, tags] of [
    [" press ;; book club;", ["press", "book club"]],
    ["[press]; x", ["[press]", "x"]],
    ["a\\b", ["a\\b"]],
    ["a\\", ["a\\"]],
    [";", []],
  ] as const) {
    it(`is read from ${JSON.stringify(cell)} as ${JSON.stringify(tags)}`, async () => {
      const [read] = await decodeList(decoder, inPieces(`tags\n${cell}\n`, 100));
      assert.deepEqual(read?.value, { tags });
    });
  }

  it("comes back as it was", async () => {
    await fc.assert(
      fc.asyncProperty(lists, async (tags) => {
        const table = await listOf(csvRepresentation({ columns }), [storedRecord({ tags })]);
        const [read] = await decodeList(decoder, inPieces(table, 7));
        assert.deepEqual(read?.value, { id: 1, tags });
      }),
    );
  });
});

describe("a list in XML", () => {
  const xml: MediaType = { type: "application", subtype: "xml", parameters: new Map() };
  const decoder = xmlDecoder({ root: "book", lists: ["tags", "shelves", "shelves.marks"] });
  const decode = (document: string): unknown => decoder.decode(Buffer.from(document), xml);

  it("has an element for each value, of which one is also a list", () => {
    assert.deepEqual(decode("<book><tags>a</tags><title>x</title><tags>b</tags></book>"), {
      tags: ["a", "b"],
      title: "x",
    });
    assert.deepEqual(decode("<book><shelves><code>1</code><marks>x</marks></shelves></book>"), {
      shelves: [{ code: "1", marks: ["x"] }],
    });
  });

  it("is not what has the same name in another object", async () => {
    await assert.rejects(async () => decode("<book><by><tags>a</tags><tags>b</tags></by></book>"), /occurs twice/);
  });

  it("comes back as it was", async () => {
    const { item } = xmlRepresentation({ root: "book", list: "books" });
    await fc.assert(
      fc.asyncProperty(lists, async (tags) => {
        const record = { ...storedRecord({ tags }), json: JSON.stringify({ tags }) };
        const document = String(item(record, { url: "/books", request: HttpRequest.of() }));
        assert.deepEqual(await decode(document), { tags });
      }),
    );
  });
});
