import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonLdRepresentation } from "../../src/index.ts";
import { itemOf, storedRecord } from "../stores/stored-records.ts";

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
  it("is a node with a context, and with the URL of the record as its id, without a charset, since it is JSON", () => {
    assert.deepEqual(JSON.parse(itemOf(representation, storedRecord({ title: "Emma", isbn: "9780141439587" }, 7))), {
      "@context": context,
      "@id": "/books/7",
      "@type": "Book",
      name: "Emma",
      isbn: "9780141439587",
    });
    assert.equal(representation.contentType, "application/ld+json");
  });

  it("knows the record also where a client has chosen other members than the id", () => {
    const chosen = { ...storedRecord({}, 7), json: '{"isbn":"9780141439587"}' };
    assert.equal(
      itemOf(representation, chosen),
      '{"@context":{"@vocab":"https://schema.org/"},"@id":"/books/7","@type":"Book","isbn":"9780141439587"}',
    );
  });
});
