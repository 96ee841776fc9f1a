import {
  type CollectionDefinition,
  csvDecoder,
  csvRepresentation,
  type ItemRepresentation,
  jsonArrayDecoder,
  jsonLdRepresentation,
  jsonRepresentation,
  type ListDecoder,
  type ListRepresentation,
  ndjsonDecoder,
  ndjsonRepresentation,
  type RecordNouns,
  type Representation,
  xmlRepresentation,
} from "@waymark/collection";
import type { Person, StoredPerson } from "./person.ts";
import { personMemberNames } from "./schema.ts";
import { vcard } from "./vcard.ts";

/**
 * Sends a person as a schema.org `Person` in JSON-LD. Most members are terms of that vocabulary. `id` is not: the context makes it
 * the node's own `@id`. Neither are the times: they belong to the record, a `CreativeWork` about the person.
 */
export const personJsonLd: ItemRepresentation & ListRepresentation = jsonLdRepresentation({
  context: "https://schema.org",
  toNode,
});

/** @param members those of a stored person, or the ones that a client chose */
function toNode(members: Partial<StoredPerson>): object {
  const { id: _id, address, worksFor, createdAt, updatedAt, ...terms } = members;
  return {
    "@type": "Person",
    ...terms,
    ...(address !== undefined && { address: { "@type": "PostalAddress", ...address } }),
    ...(worksFor !== undefined && { worksFor: { "@type": "Organization", name: worksFor } }),
    ...((createdAt ?? updatedAt) !== undefined && {
      subjectOf: { "@type": "CreativeWork", dateCreated: createdAt, dateModified: updatedAt },
    }),
  };
}

/** Sends people as XML. */
export const personXml: ItemRepresentation & ListRepresentation = readableXml("application/xml");

/** Sends lists of people as CSV. */
export const personCsv: ListRepresentation = csvRepresentation({ columns: personMemberNames() });

/** The representations of people, the preferred first. CSV and NDJSON are for lists only. */
export const personRepresentations: readonly Representation[] = [
  jsonRepresentation,
  personXml,
  personJsonLd,
  ndjsonRepresentation,
  personCsv,
  vcard,
  // Last, because clients that accept any text are better served by the others.
  readableXml("text/xml"),
];

/** Sends XML that a browser can show as a tree. Its viewer uses a style and a picture of its own; nothing else is allowed. */
function readableXml(mediaType: "application/xml" | "text/xml"): ItemRepresentation & ListRepresentation {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
  const headers = { "Content-Security-Policy": policy };
  return { ...xmlRepresentation({ root: "person", list: "people", mediaType }), headers };
}

/** Reads people from CSV, from clients and for the demo. */
export const personCsvDecoder: ListDecoder = csvDecoder({ columns: personMemberNames(), integers: ["id"] });

/** The decoders for many people. */
export const personListDecoders: readonly ListDecoder[] = [ndjsonDecoder, personCsvDecoder, jsonArrayDecoder];

/** Defines the collection of people for a database. */
export const personCollection: CollectionDefinition<Person> = {
  name: "person",
  // Each member to filter and sort by costs an index. The parts of a name are searched, too, since they may differ from the name.
  members: {
    name: { filter: "text", search: true },
    givenName: { filter: "text", search: true },
    additionalName: { search: true },
    familyName: { filter: "text", search: true },
    alternateName: { search: true },
    email: { filter: "caseless-text", search: true },
    birthDate: { filter: "date" },
    jobTitle: { filter: "text" },
    worksFor: { filter: "text", search: true },
    identifier: { filter: "text", unique: true },
    "address.addressLocality": { filter: "text" },
    "address.addressRegion": { filter: "text" },
    "address.postalCode": { filter: "text" },
    "address.addressCountry": { filter: "text" },
  },
};

/** The words of the OpenAPI document for people. */
export const personNouns: RecordNouns = {
  one: "person",
  many: "people",
  always: ["name"],
  example: {
    name: "Ada Lovelace",
    givenName: "Ada",
    familyName: "Lovelace",
    birthDate: "1815-12-10",
    email: "ada@example.org",
    address: { addressLocality: "London", addressCountry: "GB" },
    identifier: "A-1",
  },
};
