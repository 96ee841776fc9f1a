import type { MemberType, RecordOf } from "@waymark/collection";
import type { StandardSchemaV1 } from "waymark/content";
import { countCharacters } from "./text.ts";

/**
 * The members of a person, in the order in which they are stored and sent: the one place that knows them. The schema, the type, the
 * formats, the page, the columns of files and the list in the README are made of it. Their names are those of schema.org;
 * `address.postalCode` is a member of an object.
 */
export const personMembers = {
  id: {
    kind: "id",
    label: "Number",
    group: "",
    vcard: "",
    words: "",
    rule: "set by the server, or an integer from 1 on",
  },
  name: {
    kind: "line",
    max: 200,
    always: true,
    filter: "text",
    search: true,
    column: true,
    label: "Name",
    group: "Name",
    hint: "Made of the names below when it is left empty.",
    vcard: "FN",
    words: "full name, display name, person, anzeigename, vollständiger name, nom complet, nombre completo",
    example: "Ada Lovelace",
    rule: "1 to 200 characters",
  },
  honorificPrefix: {
    kind: "line",
    max: 100,
    label: "Prefix",
    group: "Name",
    hint: "Such as Dr or Prof.",
    vcard: "N 3",
    words:
      "name prefix, honorific prefix, salutation, courtesy title, anrede, namenspräfix, titre de civilité, civilité, tratamiento",
    rule: "1 to 100: what stands before a name, such as `Dr`",
  },
  givenName: {
    kind: "line",
    max: 100,
    filter: "text",
    search: true,
    label: "Given name",
    group: "Name",
    vcard: "N 1",
    words: "first name, forename, first, given, vorname, prénom, nombre, nombre de pila",
    example: "Ada",
    rule: "1 to 100",
  },
  additionalName: {
    kind: "line",
    max: 100,
    search: true,
    label: "Additional name",
    group: "Name",
    vcard: "N 2",
    words: "middle name, second name, middle, weitere vornamen, zweiter vorname, deuxième prénom, segundo nombre",
    rule: "1 to 100",
  },
  familyName: {
    kind: "line",
    max: 100,
    filter: "text",
    search: true,
    label: "Family name",
    group: "Name",
    vcard: "N 0",
    words: "last name, surname, last, family, nachname, familienname, nom, nom de famille, apellido, apellidos",
    example: "Lovelace",
    rule: "1 to 100",
  },
  honorificSuffix: {
    kind: "line",
    max: 100,
    label: "Suffix",
    group: "Name",
    hint: "Such as Jr. or MD.",
    vcard: "N 4",
    words: "name suffix, honorific suffix, generation, namenszusatz, suffixe, sufijo",
    rule: "1 to 100: what stands behind a name, such as `MD`",
  },
  alternateName: {
    kind: "line",
    max: 100,
    search: true,
    label: "Also known as",
    group: "Name",
    vcard: "NICKNAME",
    words: "nickname, alias, also known as, spitzname, rufname, surnom, apodo, alias",
    rule: "1 to 100",
  },
  birthDate: {
    kind: "date",
    filter: "date",
    label: "Date of birth",
    group: "Name",
    hint: "Year, month and day, such as 1950-01-31.",
    vcard: "BDAY",
    words:
      "birthday, birth date, date of birth, dob, born, bday, geburtsdatum, geburtstag, anniversaire, date de naissance, fecha de nacimiento, cumpleaños",
    example: "1815-12-10",
    rule: "a real date as `YYYY-MM-DD`, not in the future",
  },
  anniversary: {
    kind: "date",
    label: "Anniversary",
    group: "Name",
    hint: "Year, month and day, such as of a wedding.",
    vcard: "ANNIVERSARY",
    words:
      "wedding anniversary, wedding day, wedding date, jahrestag, hochzeitstag, anniversaire de mariage, aniversario, fecha de boda",
    rule: "a real date as `YYYY-MM-DD`, not in the future, such as of a wedding",
  },
  email: {
    kind: "email",
    min: 3,
    max: 254,
    filter: "caseless-text",
    search: true,
    column: true,
    label: "Email",
    group: "Contact",
    vcard: "EMAIL",
    words:
      "e-mail, mail, email address, e-mail address, e-mail 1 - value, primary email, e-mail-adresse, adresse e-mail, courriel, correo electrónico, dirección de correo electrónico",
    example: "ada@example.org",
    rule: "3 to 254, with one `@`",
  },
  emails: {
    kind: "email",
    of: "email",
    label: "All emails",
    group: "More than one",
    hint: "One a line, perhaps with what it is for: ada@example.org (work, preferred).",
    vcard: "",
    words: "",
    rule: "a list of up to 50 `{ value, contexts, label, preferred }`, of which `email` is the preferred one",
  },
  telephone: {
    kind: "telephone",
    min: 2,
    max: 40,
    column: true,
    label: "Telephone",
    group: "Contact",
    vcard: "TEL",
    words:
      "phone, phone number, telephone number, tel, cell, mobile, mobile phone, mobile number, phone 1 - value, primary phone, telefon, telefonnummer, handy, mobiltelefon, téléphone, téléphone mobile, teléfono, teléfono móvil",
    rule: "2 to 40: digits, spaces and `+ - . ( ) /`, perhaps an extension",
  },
  telephones: {
    kind: "telephone",
    of: "telephone",
    label: "All telephones",
    group: "More than one",
    hint: "One a line, perhaps with what it is for: +44 20 7946 0000 (private, mobile).",
    vcard: "",
    words: "",
    rule: "a list of up to 50 `{ value, contexts, features, label, preferred }`, of which `telephone` is the preferred one",
  },
  "address.streetAddress": {
    kind: "line",
    max: 300,
    label: "Street",
    group: "Address",
    vcard: "ADR 2",
    words:
      "street, address, street address, address 1, address line 1, address 1 - street, home street, home address, strasse, straße, straße privat, rue, adresse, calle, dirección",
    rule: "1 to 300",
  },
  "address.addressLocality": {
    kind: "line",
    max: 100,
    filter: "text",
    column: true,
    label: "Town",
    group: "Address",
    vcard: "ADR 3",
    words:
      "city, town, locality, address 1 - city, home city, ort, stadt, ort privat, ville, ciudad, localidad, población",
    example: "London",
    rule: "1 to 100",
  },
  "address.addressRegion": {
    kind: "line",
    max: 100,
    filter: "text",
    label: "Region",
    group: "Address",
    vcard: "ADR 4",
    words:
      "state, region, province, county, address 1 - region, home state, bundesland, kanton, région, département, provincia, estado",
    rule: "1 to 100",
  },
  "address.postalCode": {
    kind: "line",
    max: 20,
    filter: "text",
    label: "Postal code",
    group: "Address",
    vcard: "ADR 5",
    words:
      "zip, zip code, postcode, postal code, address 1 - postal code, home postal code, home zip code, plz, postleitzahl, postleitzahl privat, code postal, código postal",
    rule: "1 to 20",
  },
  "address.addressCountry": {
    kind: "country",
    filter: "text",
    label: "Country",
    group: "Address",
    hint: "A name, or its two capital letters.",
    vcard: "ADR 6",
    words:
      "country, country code, address 1 - country, home country, home country/region, land, land privat, land/region privat, pays, país",
    example: "GB",
    rule: "an ISO 3166-1 alpha-2 code in capitals",
  },
  jobTitle: {
    kind: "line",
    max: 200,
    filter: "text",
    column: true,
    headline: true,
    label: "Job title",
    group: "Work",
    vcard: "TITLE",
    words:
      "title, job, position, role, job title, organization title, organization 1 - title, berufsbezeichnung, funktion, fonction, poste, puesto, cargo",
    rule: "1 to 200",
  },
  worksFor: {
    kind: "line",
    max: 200,
    filter: "text",
    search: true,
    column: true,
    headline: true,
    node: "Organization",
    label: "Works for",
    group: "Work",
    vcard: "ORG 0",
    words:
      "company, employer, organisation, organization, org, organization name, organization 1 - name, firma, unternehmen, arbeitgeber, société, entreprise, empresa, organización",
    rule: "1 to 200",
  },
  url: {
    kind: "url",
    max: 2048,
    label: "Website",
    group: "Contact",
    vcard: "URL",
    words:
      "website, web site, homepage, web, web page, web page 1, website 1 - value, webseite, site web, página web, sitio web",
    rule: "http or https, at most 2048, without a user name or password",
  },
  urls: {
    kind: "url",
    of: "url",
    label: "All websites",
    group: "More than one",
    hint: "One a line, perhaps with what it is for: https://example.org (work).",
    vcard: "",
    words: "",
    rule: "a list of up to 50 `{ value, contexts, label, preferred }`, of which `url` is the preferred one",
  },
  knowsLanguage: {
    kind: "language",
    label: "Language",
    group: "Contact",
    hint: "A language tag such as en, pt-BR or zh-Hans.",
    vcard: "LANG",
    words: "language, lang, locale, sprache, langue, idioma",
    rule: "a BCP 47 language tag such as `en` or `zh-Hans`",
  },
  languages: {
    kind: "language",
    of: "knowsLanguage",
    label: "All languages",
    group: "More than one",
    hint: "One a line, perhaps with what it is for: de (work).",
    vcard: "",
    words: "",
    rule: "a list of up to 50 `{ value, contexts, label, preferred }`, of which `knowsLanguage` is the preferred one",
  },
  categories: {
    kind: "line",
    list: true,
    max: 100,
    filter: "caseless-text",
    search: true,
    recordTerm: "keywords",
    label: "Categories",
    group: "More",
    hint: "One a line, such as member or press.",
    vcard: "CATEGORIES",
    words:
      "category, tags, tag, groups, group, group membership, labels, kategorien, kategorie, gruppen, catégories, catégorie, étiquettes, groupes, categorías, categoría, etiquetas, grupos",
    example: ["member"],
    rule: "a list of up to 50, each 1 to 100 and none twice",
  },
  description: {
    kind: "text",
    min: 0,
    max: 4000,
    label: "Notes",
    group: "More",
    vcard: "NOTE",
    words: "notes, note, comment, comments, remarks, bio, about, bemerkung, bemerkungen, notizen, remarques, notas",
    rule: "0 to 4000; only here TAB and line feed are allowed, and an empty text",
  },
  identifier: {
    kind: "line",
    max: 255,
    filter: "text",
    unique: true,
    label: "Identifier",
    group: "More",
    hint: "The id in another system, which no two people share.",
    vcard: "X-IDENTIFIER",
    words:
      "external id, customer id, employee id, member id, reference, uid, uuid, kundennummer, kundennr, mitgliedsnummer, personalnummer, numéro client, número de cliente",
    example: "A-1",
    rule: "1 to 255; another system's id: two people with the same are a 409",
  },
} as const;

/** What there is to know of a member. */
export interface PersonMember {
  /** What its values are, which decides how they are validated, shown, asked for and read from files. */
  readonly kind: "id" | "line" | "text" | "date" | "email" | "telephone" | "url" | "country" | "language";
  /** Whether it is a list of such values, none twice. */
  readonly list?: true;
  /** For a list of values with what is said of each, the member that is the preferred one. See `ContactEntry`. */
  readonly of?: string;
  /** The characters of a text. Default: 1. */
  readonly min?: number;
  readonly max?: number;
  /** Whether every stored person has it. */
  readonly always?: true;
  /** See `MemberUse`. */
  readonly filter?: MemberType;
  readonly search?: true;
  readonly unique?: true;
  /** Whether the list of the page shows it, and whether the page of a person has it below the name. */
  readonly column?: true;
  readonly headline?: true;
  /** The type of the node with this name that it is in JSON-LD. Default: it is a value. */
  readonly node?: string;
  /** What it is in JSON-LD of the work about the person. Default: a term of the person under its own name. */
  readonly recordTerm?: string;
  /** What the page calls it, and what stands below its field. */
  readonly label: string;
  readonly hint?: string;
  /** The part of the page and of its form; empty for none. */
  readonly group: string;
  /** Its property of a vCard, and which part of the value it is, from 0; empty for none. */
  readonly vcard: string;
  /** What other programs and people call it, separated by commas; at first those in English. */
  readonly words: string;
  readonly example?: string | readonly string[];
  /** Its rule, for people. */
  readonly rule: string;
}

/** The name of a member: `familyName`, `address.postalCode`. */
export type PersonMemberName = keyof typeof personMembers;

/** The members, each as what is known of all. */
export const memberTable: Readonly<Record<PersonMemberName, PersonMember>> = personMembers;

/** The members with their names, in order. */
export const memberEntries: readonly (readonly [name: PersonMemberName, member: PersonMember])[] = Object.entries(
  memberTable,
) as [PersonMemberName, PersonMember][]; // its own names

/** What the members whose names begin with this are parts of: the type of the node that it is in JSON-LD. */
export const objectTypes: Readonly<Record<string, string>> = { address: "PostalAddress" };

/** The most values of a list. */
export const mostValues = 50;

/** A value of a list such as `emails`, and what is said of it, as in JSContact (RFC 9553). */
export interface ContactEntry {
  readonly value: string;
  /** What it is used for. */
  readonly contexts?: readonly string[];
  /** What a telephone can do. */
  readonly features?: readonly string[];
  readonly label?: string;
  readonly preferred?: boolean;
}

type ValueOf<M extends PersonMember> = M extends { readonly list: true }
  ? readonly string[]
  : M extends { readonly of: string }
    ? readonly ContactEntry[]
    : M["kind"] extends "id"
      ? number
      : string;

type Schemas = {
  [P in PersonMemberName]: {
    readonly schema: StandardSchemaV1<
      unknown,
      | ValueOf<(typeof personMembers)[P]>
      | ((typeof personMembers)[P] extends { readonly always: true } ? never : undefined)
    >;
  };
};

/** A valid person as a client sends it; the name is derived from its parts where the client sends none. */
export type Person = RecordOf<Schemas>;

/** A person as it is stored and sent. The times are in UTC (RFC 3339). */
export type StoredPerson = Person & { readonly id: number; readonly createdAt: string; readonly updatedAt: string };

/** The members of which a name is made. */
export const nameParts = ["givenName", "additionalName", "familyName"] as const;

/** Groups of members: two people with the same values of all members of a group are likely one person. */
export const alikeBy: readonly (readonly PersonMemberName[])[] = [["email"], ["name", "birthDate"]];

/** The members of which a person has at least one. */
export const nameSources = ["name", "givenName", "familyName"] as const;

/**
 * Joins the given, additional and family name with single spaces. If they do not fit in 200 characters, the additional name is left
 * out, then the given name; no part is cut, and each remains a member of its own.
 *
 * ```ts
 * derivedName({ givenName: "Ada", familyName: "Lovelace" });   // "Ada Lovelace"
 * ```
 *
 * @param parts at most 100 characters each, with a given or a family name
 */
export function derivedName({
  givenName,
  additionalName,
  familyName,
}: Pick<Partial<Person>, (typeof nameParts)[number]>): string {
  const full = join(givenName, additionalName, familyName);
  if (countCharacters(full) <= personMembers.name.max) return full;
  const short = join(givenName, familyName);
  return countCharacters(short) <= personMembers.name.max ? short : join(familyName);
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" ");
}
