import {
  csvRepresentation,
  jsonRepresentation,
  ndjsonRepresentation,
  type Representation,
  xmlRepresentation,
} from "@waymark/collection";
import { personMemberNames } from "./person.ts";
import { personJsonLd } from "./person-json-ld.ts";
import { vcard } from "./vcard.ts";

/** What people are sent as, the preferred first. CSV and NDJSON are for lists alone. */
export const personRepresentations: readonly Representation[] = [
  jsonRepresentation,
  xmlRepresentation({ root: "person", list: "people" }),
  personJsonLd,
  ndjsonRepresentation,
  csvRepresentation({ columns: personMemberNames() }),
  vcard,
  // Behind all others, since who accepts any text is better served by them.
  xmlRepresentation({ root: "person", list: "people", mediaType: "text/xml" }),
];
