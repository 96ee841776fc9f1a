import { storeMembers } from "@waymark/collection/internal";
import type { JsonSchema } from "waymark/openapi";
import type { ByLanguage, Language, PersonMember } from "./members/member.ts";
import type { MemberList } from "./members/member-list.ts";
import { fromValues } from "./members/member-value.ts";
import { contexts, features, mostValues } from "./members/members.ts";
import { valueSchemaOf } from "./members/value-schemas.ts";

/**
 * Returns the members of a person for programs that show them: a JSON Schema (2020-12) with what each is called in a language, and how
 * it is shown, asked for and searched. Keywords of our own begin with `x-`.
 */
export function publishedSchema({ entries }: MemberList, language: Language): JsonSchema {
  const ofStore = storeMembers.flatMap(({ name, type }) => {
    const label = timeLabels[name];
    const said = { type: "string", format: "date-time", readOnly: true, "x-kind": "time", "x-filter": type };
    return label === undefined ? [] : [[name, { title: label[language], ...said }] as const];
  });
  const members = entries.map(([name, member]) => [name, published(member, language)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Person",
    type: "object",
    properties: nested(fromValues([...members, ...ofStore])),
    "x-groups": Object.fromEntries(Object.entries(groups).map(([group, title]) => [group, title[language]])),
    "x-contexts": contexts,
    "x-features": features,
  };
}

/** Puts the members of an object, such as the address, into a schema of that object. */
const nested = (members: Readonly<Record<string, unknown>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      Object.hasOwn(schema as object, "x-kind") ? schema : { type: "object", properties: schema }, // of `fromValues`
    ]),
  );

function published(member: PersonMember, language: Language): JsonSchema {
  const { kind, list, of, filter, search, unique, column, headline, past, always, label, hint, group } = member;
  const value = { type: kind === "boolean" ? "boolean" : "string", ...keywordsOf(member) };
  const isList = list !== undefined || of !== undefined;
  return {
    title: label[language],
    ...(isList ? { type: "array", maxItems: mostValues, ...(list && { items: value }) } : value),
    ...(kind === "id" && { readOnly: true }),
    "x-kind": kind,
    ...(hint && { "x-hint": hint[language] }),
    ...(group !== "" && { "x-group": group }),
    ...(of !== undefined && { "x-of": of }),
    ...(always && { "x-always": true }),
    ...(past && { "x-past": true }),
    ...(column && { "x-column": true }),
    ...(headline && { "x-headline": true }),
    ...(filter && { "x-filter": filter }),
    ...(search && { "x-search": true }),
    ...(unique && { "x-unique": true }),
  };
}

const keywordsOf = (member: PersonMember): object =>
  valueSchemaOf(member, { now: () => new Date(), property: () => undefined }).meta() ?? {};

const groups: Readonly<Record<Exclude<PersonMember["group"], "">, ByLanguage>> = {
  Name: { en: "Name", de: "Name", fr: "Nom", es: "Nombre" },
  Contact: { en: "Contact", de: "Kontakt", fr: "Contact", es: "Contacto" },
  Address: { en: "Address", de: "Adresse", fr: "Adresse", es: "Dirección" },
  Work: { en: "Work", de: "Beruf", fr: "Travail", es: "Trabajo" },
  More: { en: "More", de: "Weiteres", fr: "Autres informations", es: "Más datos" },
};

const timeLabels: Readonly<Record<string, ByLanguage>> = {
  createdAt: { en: "Created", de: "Angelegt", fr: "Création", es: "Creación" },
  updatedAt: { en: "Changed", de: "Geändert", fr: "Modification", es: "Modificación" },
};
