import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpRequest } from "waymark";
import { personJsonLd } from "../../src/person/collection.ts";

const nodeOf = (members: object): unknown =>
  JSON.parse(
    personJsonLd.item(
      { id: 7, revision: 1, updatedAt: 0, json: JSON.stringify(members) },
      { url: "/person", request: HttpRequest.of() },
    ),
  );

const head = { "@context": "https://schema.org", "@id": "/person/7", "@type": "Person" };

describe("a person in JSON-LD", () => {
  it("is a schema.org Person, whose own members say what they are of", () => {
    const ada = {
      id: 7,
      name: "Ada Lovelace",
      birthDate: "1815-12-10",
      address: { postalCode: "W1", addressCountry: "GB" },
      worksFor: "Analytical Engines",
      url: "https://example.org/ada",
      identifier: "A-1",
      createdAt: "2026-06-15T12:00:00.000Z",
      updatedAt: "2026-06-16T12:00:00.000Z",
    };
    assert.deepEqual(nodeOf(ada), {
      ...head,
      name: "Ada Lovelace",
      birthDate: "1815-12-10",
      address: { "@type": "PostalAddress", postalCode: "W1", addressCountry: "GB" },
      worksFor: { "@type": "Organization", name: "Analytical Engines" },
      url: "https://example.org/ada",
      identifier: "A-1",
      subjectOf: { "@type": "CreativeWork", dateCreated: ada.createdAt, dateModified: ada.updatedAt },
    });
  });

  const dateModified = "2026-06-16T12:00:00.000Z";
  for (const [members, node] of [
    [{}, {}],
    [{ id: 7 }, {}],
    [{ name: "Ada" }, { name: "Ada" }],
    [{ updatedAt: dateModified }, { subjectOf: { "@type": "CreativeWork", dateModified } }],
  ] as const) {
    it(`has the chosen members ${Object.keys(members).join() || "none"}`, () => {
      assert.deepEqual(nodeOf(members), { ...head, ...node });
    });
  }
});
