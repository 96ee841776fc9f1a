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
import { personMemberNames, type StoredPerson } from "./person.ts";
import { vcard } from "./vcard.ts";

/**
 * A person as a schema.org `Person` in JSON-LD. Most members are terms of that vocabulary as they are. `id` is not: its
 * context makes that the node's own `@id`. Nor are the times, which are those of the record, a `CreativeWork` about the
 * person.
 */
export const personJsonLd: ItemRepresentation & ListRepresentation = jsonLdRepresentation({
  context: "https://schema.org",
  toNode,
});

/** @param members of a stored person, of which a client may have chosen some */
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

/** People as XML. */
export const personXml: ItemRepresentation & ListRepresentation = readableXml("application/xml");

/** Lists of people as CSV. */
export const personCsv: ListRepresentation = csvRepresentation({ columns: personMemberNames() });

/** What people are sent as, the preferred first. CSV and NDJSON are for lists alone. */
export const personRepresentations: readonly Representation[] = [
  jsonRepresentation,
  personXml,
  personJsonLd,
  ndjsonRepresentation,
  personCsv,
  vcard,
  // Behind all others, since who accepts any text is better served by them.
  readableXml("text/xml"),
];

/** People in XML, which a browser shows as a tree: it does so by a style and a picture of its own, and nothing else is allowed. */
function readableXml(mediaType: "application/xml" | "text/xml"): ItemRepresentation & ListRepresentation {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
  const headers = { "Content-Security-Policy": policy };
  return { ...xmlRepresentation({ root: "person", list: "people", mediaType }), headers };
}

/** Reads people from CSV: the demo's, and those that clients send. */
export const personCsvDecoder: ListDecoder = csvDecoder({ columns: personMemberNames(), integers: ["id"] });

/** What many people can be sent in. */
export const personListDecoders: readonly ListDecoder[] = [ndjsonDecoder, personCsvDecoder, jsonArrayDecoder];

/** What a database must know of the people. */
export const personCollection: CollectionDefinition = {
  name: "person",
  unique: ["identifier"],
  // What people are looked up and listed by; each costs an index.
  selectable: [
    { name: "name", type: "text" },
    { name: "givenName", type: "text" },
    { name: "familyName", type: "text" },
    { name: "email", type: "caseless-text" },
    { name: "birthDate", type: "date" },
    { name: "jobTitle", type: "text" },
    { name: "worksFor", type: "text" },
    { name: "identifier", type: "text" },
    { name: "address.addressLocality", type: "text" },
    { name: "address.addressRegion", type: "text" },
    { name: "address.postalCode", type: "text" },
    { name: "address.addressCountry", type: "text" },
  ],
  // The parts of a name too: a client may give another name beside them.
  fullText: ["name", "givenName", "additionalName", "familyName", "alternateName", "email", "worksFor"],
};

/** How the OpenAPI document speaks of people. */
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
