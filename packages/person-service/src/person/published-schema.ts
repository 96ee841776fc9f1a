import { storeMembers } from "@waymark/collection/internal";
import type { JsonSchema } from "waymark/openapi";
import type { ByLanguage, PersonMember } from "./member.ts";
import { type MemberList, onceFor } from "./member-list.ts";
import { fromValues } from "./member-value.ts";
import { contexts, features, mostValues } from "./members.ts";
import { valueSchemaOf } from "./value-schemas.ts";

/**
 * Returns the members of a person for programs that show them: a JSON Schema (2020-12) with what each is called in every language,
 * and how it is shown, asked for and searched. Keywords of our own begin with `x-`.
 */
export const publishedSchema: (members: MemberList) => JsonSchema = onceFor(({ entries }) => {
  const ofStore = storeMembers.flatMap(({ name, type }) => {
    const label = timeLabels[name];
    const said = { type: "string", format: "date-time", readOnly: true, "x-kind": "time", "x-label": label };
    return label === undefined ? [] : [[name, { ...said, "x-filter": type }] as const];
  });
  const members = entries.map(([name, member]) => [name, published(member)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Person",
    type: "object",
    properties: nested(fromValues([...members, ...ofStore])),
    "x-groups": groups,
    "x-contexts": contexts,
    "x-features": features,
  };
});

/** Puts the members of an object, such as the address, into a schema of that object. */
const nested = (members: Readonly<Record<string, unknown>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      Object.hasOwn(schema as object, "x-kind") ? schema : { type: "object", properties: schema }, // of `fromValues`
    ]),
  );

function published(member: PersonMember): JsonSchema {
  const { kind, list, of, filter, search, unique, column, headline, past, always, label, hint, group } = member;
  const value = { type: kind === "boolean" ? "boolean" : "string", ...keywordsOf(member) };
  const isList = list !== undefined || of !== undefined;
  return {
    ...(isList ? { type: "array", maxItems: mostValues, ...(list && { items: value }) } : value),
    ...(kind === "id" && { readOnly: true }),
    "x-kind": kind,
    "x-label": shortened(label),
    ...(hint && { "x-hint": shortened(hint) }),
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

/** Leaves out a language whose text is the English one. */
const shortened = (texts: ByLanguage): Partial<ByLanguage> =>
  Object.fromEntries(Object.entries(texts).filter(([language, text]) => language === "en" || text !== texts.en));

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
