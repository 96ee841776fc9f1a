import {
  type CollectionDefinition,
  csvDecoder,
  csvRepresentation,
  excelCsvRepresentation,
  type ItemRepresentation,
  jsonArrayDecoder,
  jsonLdRepresentation,
  jsonRepresentation,
  type ListRepresentation,
  type MemberUse,
  ndjsonDecoder,
  ndjsonRepresentation,
  type Representation,
  xmlRepresentation,
} from "@waymark/collection";
import type { ChangedDocument, ListDecoder, MatchedRecords, RecordNouns } from "@waymark/collection/internal";
import { vcard, vcard3 } from "./cards/vcard.ts";
import type { PersonMember } from "./members/member.ts";
import { type MemberList, ourMembers } from "./members/member-list.ts";
import { textOf } from "./members/member-value.ts";
import {
  alikeBy,
  derivedName,
  type FurtherValues,
  furtherValues,
  memberEntries,
  nameParts,
  objectTypes,
  otherProperties,
  ownObject,
} from "./members/members.ts";
import type { FurtherValue } from "./members/person.ts";

/**
 * Sends a person as a schema.org `Person` in JSON-LD. Most members are terms of that vocabulary. `id` is not: the context makes it
 * the node's own `@id`. Neither are the times and some others: they belong to the record, a `CreativeWork` about the person.
 */
export const personJsonLd: ItemRepresentation & ListRepresentation = jsonLdRepresentation({
  context: "https://schema.org",
  toNode,
});

/** @param members those of a stored person, or the ones that a client chose */
function toNode(members: Readonly<Record<string, unknown>>): object {
  // The vocabulary has no terms for members of the service's own.
  const { id: _id, [otherProperties]: _properties, [ownObject]: _own, createdAt, updatedAt, ...others } = members;
  const [ofRecord = [], ofPerson = []] = [true, false].map((isOfRecord) =>
    Object.entries(others).filter(([name]) => recordTerms.has(name) === isOfRecord),
  );
  const terms = new Map<string, unknown[]>();
  const add = (term: string, values: readonly unknown[]): void => {
    terms.set(term, [...(terms.get(term) ?? []), ...values]);
  };
  for (const [name, value] of ofPerson) {
    const term = singles.get(name) ?? name;
    const type = objectTypes[term];
    const toTerm = (each: unknown): unknown => (type === undefined ? each : { "@type": type, ...(each as object) }); // an object, by its schema
    const node = nodeTypes.get(name);
    const outer = withinNodes.get(name);
    if (outer !== undefined) {
      const type = nodeTypes.get(outer);
      const [of = { "@type": type }] = terms.get(outer) ?? [];
      terms.set(outer, [{ ...(of as object), [name]: { "@type": type, name: value } }]); // a node
    } else if (node !== undefined) add(name, [{ "@type": node, name: value }]);
    else if (term === name) add(name, [toTerm(value)]);
    else
      add(
        term,
        (value as readonly FurtherValue[]).map((entry) => toTerm(entry.value)),
      ); // a list, by its schema
  }
  const values = Array.from(terms, ([term, each]) => [term, each.length === 1 ? each[0] : each] as const);
  return {
    "@type": "Person",
    ...Object.fromEntries(values),
    ...(((createdAt ?? updatedAt) !== undefined || ofRecord.length > 0) && {
      subjectOf: {
        "@type": "CreativeWork",
        dateCreated: createdAt,
        dateModified: updatedAt,
        ...Object.fromEntries(ofRecord.map(([name, value]) => [recordTerms.get(name), value])),
      },
    }),
  };
}

const recordTerms: ReadonlyMap<string, string> = new Map(
  memberEntries.flatMap(([name, { recordTerm }]) => (recordTerm === undefined ? [] : [[name, recordTerm]])),
);

/** All values are those of one term. */
const singles: ReadonlyMap<string, string> = new Map(furtherValues.map(({ name, single }) => [name, single]));

const nodeTypes: ReadonlyMap<string, string> = new Map(
  memberEntries.flatMap(([name, { node }]) => (node === undefined ? [] : [[name, node]])),
);

/** The members that are nodes in those of others. */
const withinNodes: ReadonlyMap<string, string> = new Map(
  memberEntries.flatMap(([name, { within }]) => (within === undefined ? [] : [[name, within]])),
);

/** Sends people as XML. */
export const personXml: ItemRepresentation & ListRepresentation = readableXml("application/xml");

/** Sends lists of people as CSV. */
export const personCsv = ({ names }: MemberList): ListRepresentation => csvRepresentation({ columns: names });

/** Sends lists of people as the CSV that Excel opens. */
export const personExcelCsv = ({ names, entries }: MemberList): ListRepresentation =>
  excelCsvRepresentation({
    columns: names,
    dates: entries.filter(([, { kind }]) => kind === "date").map(([name]) => name),
  });

/** Returns the representations of people, the preferred first. CSV and NDJSON are for lists only. */
export const personRepresentationsOf = (members: MemberList): readonly Representation[] => [
  jsonRepresentation,
  personXml,
  personJsonLd,
  ndjsonRepresentation,
  personCsv(members),
  personExcelCsv(members),
  vcard(members),
  vcard3(members),
  // Last, because clients that accept any text are better served by the others.
  readableXml("text/xml"),
];

/** The representations of people who have no members of the service's own. */
export const personRepresentations: readonly Representation[] = personRepresentationsOf(ourMembers);

/** Sends XML that a browser can show as a tree. Its viewer uses a style and a picture of its own; nothing else is allowed. */
function readableXml(mediaType: "application/xml" | "text/xml"): ItemRepresentation & ListRepresentation {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
  const headers = { "Content-Security-Policy": policy };
  return { ...xmlRepresentation({ root: "person", list: "people", mediaType }), headers };
}

/** Returns the members that text is made into other values for. */
export const personForms = ({
  entries,
}: MemberList): Readonly<Record<"numbers" | "booleans" | "lists", readonly string[]>> => ({
  numbers: entries.flatMap(([name, { kind }]) => (isNumeric(kind) ? [name] : [])),
  booleans: [
    ...entries.flatMap(([name, { kind }]) => (kind === "boolean" ? [name] : [])),
    ...furtherValues.map(({ name }) => `${name}.preferred`),
  ],
  lists: [
    ...entries.flatMap(([name, { list }]) => (list ? [name] : [])),
    ...furtherValues.flatMap(({ name }) => [name, `${name}.contexts`, `${name}.features`]),
  ],
});

const isNumeric = (kind: PersonMember["kind"]): boolean => kind === "id" || kind === "integer" || kind === "number";

/** Reads people from CSV, from clients and for the demo. */
export const personCsvDecoder = (members: MemberList): ListDecoder =>
  csvDecoder({ columns: members.names, ...personForms(members) });

/** Returns the decoders for many people. */
export const personListDecoders = (members: MemberList): readonly ListDecoder[] => [
  ndjsonDecoder,
  personCsvDecoder(members),
  jsonArrayDecoder,
];

/** Defines the collection of people for a database. */
export const personCollectionOf = ({ entries }: MemberList): PersonCollection => ({
  name: "person",
  members: {
    ...Object.fromEntries(entries.map(([name, member]) => [name, useOf(member)])),
    ...Object.fromEntries(furtherValues.flatMap(filtersOf)),
  },
});

type PersonCollection = CollectionDefinition & { readonly members: Readonly<Record<string, MemberUse>> };

/** The collection of people who have no members of the service's own. */
export const personCollection: PersonCollection = personCollectionOf(ourMembers);

/** The values of a list are filtered and searched as the member that is one of them. */
function filtersOf({ name, single }: FurtherValues): readonly (readonly [name: string, use: MemberUse])[] {
  return memberEntries.flatMap(([member, { filter, search }]) => {
    if (!(member === single || member.startsWith(`${single}.`))) return [];
    const use = { list: true, ...(filter && { filter, single: member }), ...(search && { search }) };
    return [[`${name}.value${member.slice(single.length)}`, use] as const];
  });
}

function useOf({ filter, list, search, unique }: Partial<PersonMember>): MemberUse {
  return {
    ...(list !== undefined && { list }),
    ...(filter !== undefined && { filter }),
    ...(search !== undefined && { search }),
    ...(unique !== undefined && { unique }),
  };
}

/** The words of the OpenAPI document for people. */
export const personNouns: RecordNouns = {
  one: "person",
  many: "people",
  always: memberEntries.filter(([, { always }]) => always).map(([name]) => name),
};

/** How people of a list meet those who are stored. */
export const personMatching: MatchedRecords = {
  alike: alikeBy,
  adjust: (changed) => withName({ ...changed, after: withProperties(changed) }),
};

/** Keeps the properties of cards that the line says nothing of: a table says by them only what its headings say. */
function withProperties({ kept, line, after }: ChangedDocument): ChangedDocument["after"] {
  const [before, sent] = [kept[otherProperties], line[otherProperties]];
  if (!Array.isArray(before) || !Array.isArray(sent)) return after;
  const named = new Set(sent.map(nameOf));
  return { ...after, [otherProperties]: [...sent, ...before.filter((text) => !named.has(nameOf(text)))] };
}

/** Returns the name of a property such as `TEL;TYPE=work:`. */
const nameOf = (text: unknown): string => /^(?:[\w-]+\.)?([\w-]+)/.exec(String(text))?.[1] ?? "";

/** Has a name that was made of its parts follow them, unless the line says another one. */
function withName({ before, line, after }: ChangedDocument): ChangedDocument["after"] {
  const isOfParts = textOf(before, "name") === derivedName(partsOf(before));
  const isChanged = nameParts.some((part) => textOf(before, part) !== textOf(after, part));
  if (Object.hasOwn(line, "name") || !isOfParts || !isChanged) return after;
  const { name: _, ...others } = after;
  return others;
}

const partsOf = (person: unknown): Parameters<typeof derivedName>[0] =>
  Object.fromEntries(
    nameParts.flatMap((part) => {
      const text = textOf(person, part);
      return text === undefined ? [] : [[part, text]];
    }),
  );
