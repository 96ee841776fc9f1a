import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonLdRepresentation } from "../../src/index.ts";
import { itemOf, listOf, storedRecord } from "../stores/stored-records.ts";

const context = { "@vocab": "https://schema.org/" };
const representation = jsonLdRepresentation({
  context,
  toNode: ({ id: _id, title, ...others }) => ({
    "@type": "Book",
    ...(title !== undefined && { name: title }),
    ...others,
  }),
});

describe("JSON-LD", () => {
  it("has no charset, since it is JSON", () => {
    assert.deepEqual(
      [representation.mediaType, representation.contentType],
      ["application/ld+json", "application/ld+json"],
    );
  });

  it("is a node with a context, and with the URL of the record as its id", () => {
    assert.deepEqual(JSON.parse(itemOf(representation, storedRecord({ title: "Emma", isbn: "9780141439587" }, 7))), {
      "@context": context,
      "@id": "/books/7",
      "@type": "Book",
      name: "Emma",
      isbn: "9780141439587",
    });
  });

  it("has for many a graph under one context", async () => {
    const books = [storedRecord({ title: "Emma" }), storedRecord({ title: "Persuasion" }, 2)];
    assert.deepEqual(JSON.parse(await listOf(representation, books)), {
      "@context": context,
      "@graph": [
        { "@id": "/books/1", "@type": "Book", name: "Emma" },
        { "@id": "/books/2", "@type": "Book", name: "Persuasion" },
      ],
    });
  });

  it("knows the record also where a client has chosen other members than the id", () => {
    const chosen = { ...storedRecord({}, 7), json: '{"isbn":"9780141439587"}' };
    assert.equal(
      itemOf(representation, chosen),
      '{"@context":{"@vocab":"https://schema.org/"},"@id":"/books/7","@type":"Book","isbn":"9780141439587"}',
    );
  });
});
