import type { PersonMember } from "./member.ts";
import { countCharacters } from "./value-schemas.ts";

/**
 * The members of a person, in the order in which they are stored and sent: the one place that knows them. The schema, the type, the
 * formats, the page, the columns of files and the list in the README are made of it. Their names are those of schema.org;
 * `address.postalCode` is a member of an object.
 */
export const personMembers = {
  id: {
    kind: "id",
    label: { en: "Number", de: "Nummer", fr: "Numéro", es: "Número" },
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
    label: { en: "Name", de: "Name", fr: "Nom complet", es: "Nombre completo" },
    group: "Name",
    hint: {
      en: "Made of the other names when it is left empty.",
      de: "Wird aus den anderen Namen gebildet, wenn das Feld leer bleibt.",
      fr: "Composé des autres noms si le champ reste vide.",
      es: "Se forma con los demás nombres si se deja vacío.",
    },
    vcard: "FN",
    words: "full name, display name, person, anzeigename, vollständiger name",
    example: "Ada Lovelace",
    rule: "1 to 200 characters",
  },
  honorificPrefix: {
    kind: "line",
    max: 100,
    label: { en: "Prefix", de: "Titel", fr: "Titre", es: "Título" },
    group: "Name",
    hint: {
      en: "Such as Dr or Prof.",
      de: "Etwa Dr. oder Prof.",
      fr: "Par exemple Dr ou Pr.",
      es: "Por ejemplo, Dr. o Prof.",
    },
    vcard: "N 3",
    words:
      "name prefix, honorific prefix, salutation, courtesy title, anrede, namenspräfix, titre de civilité, civilité, tratamiento",
    wordBeside: "title",
    rule: "1 to 100: what stands before a name, such as `Dr`",
  },
  givenName: {
    kind: "line",
    max: 100,
    filter: "text",
    search: true,
    label: { en: "Given name", de: "Vorname", fr: "Prénom", es: "Nombre" },
    group: "Name",
    vcard: "N 1",
    words: "first name, forename, first, given, nombre de pila",
    example: "Ada",
    rule: "1 to 100",
  },
  additionalName: {
    kind: "line",
    max: 100,
    search: true,
    label: { en: "Additional name", de: "Weitere Vornamen", fr: "Autres prénoms", es: "Segundo nombre" },
    group: "Name",
    vcard: "N 2",
    words: "middle name, second name, middle, zweiter vorname, deuxième prénom",
    rule: "1 to 100",
  },
  familyName: {
    kind: "line",
    max: 100,
    filter: "text",
    search: true,
    label: { en: "Family name", de: "Nachname", fr: "Nom de famille", es: "Apellidos" },
    group: "Name",
    vcard: "N 0",
    words: "last name, surname, last, family, familienname, nom, apellido",
    example: "Lovelace",
    rule: "1 to 100",
  },
  honorificSuffix: {
    kind: "line",
    max: 100,
    label: { en: "Suffix", de: "Namenszusatz", fr: "Suffixe", es: "Sufijo" },
    group: "Name",
    hint: {
      en: "Such as Jr. or MD.",
      de: "Etwa jun. oder MdB.",
      fr: "Par exemple Jr ou PhD.",
      es: "Por ejemplo, Jr. o PhD.",
    },
    vcard: "N 4",
    words: "name suffix, honorific suffix, generation",
    rule: "1 to 100: what stands behind a name, such as `MD`",
  },
  alternateName: {
    kind: "line",
    max: 100,
    search: true,
    label: { en: "Also known as", de: "Auch bekannt als", fr: "Surnom", es: "Apodo" },
    group: "Name",
    vcard: "NICKNAME",
    words: "nickname, alias, spitzname, rufname, alias",
    rule: "1 to 100",
  },
  birthDate: {
    kind: "date",
    past: true,
    filter: "date",
    label: { en: "Date of birth", de: "Geburtsdatum", fr: "Date de naissance", es: "Fecha de nacimiento" },
    group: "Name",
    vcard: "BDAY",
    words: "birthday, birth date, dob, born, bday, geburtstag, anniversaire, cumpleaños",
    example: "1815-12-10",
    rule: "a real date as `YYYY-MM-DD`, not in the future",
  },
  anniversary: {
    kind: "date",
    past: true,
    label: { en: "Anniversary", de: "Jahrestag", fr: "Anniversaire de mariage", es: "Aniversario" },
    group: "Name",
    hint: {
      en: "Of a wedding, for instance.",
      de: "Etwa der Hochzeit.",
      fr: "Par exemple celui du mariage.",
      es: "Por ejemplo, de la boda.",
    },
    vcard: "ANNIVERSARY",
    words:
      "wedding anniversary, wedding day, wedding date, hochzeitstag, anniversaire de mariage ou fête, fecha de boda",
    rule: "a real date as `YYYY-MM-DD`, not in the future, such as of a wedding",
  },
  email: {
    kind: "email",
    min: 3,
    max: 254,
    filter: "text",
    search: true,
    column: true,
    label: { en: "Email", de: "E-Mail", fr: "E-mail", es: "Correo electrónico" },
    group: "Contact",
    vcard: "EMAIL",
    words:
      "mail, email address, e-mail address, e-mail 1 - value, primary email, e-mail-adresse, adresse e-mail, courriel, adresse de messagerie, messagerie, dirección de correo electrónico, dirección del correo electrónico",
    example: "ada@example.org",
    rule: "3 to 254, with one `@`",
  },
  emails: {
    kind: "email",
    of: "email",
    label: { en: "Further emails", de: "Weitere E-Mails", fr: "Autres e-mails", es: "Otros correos" },
    group: "Contact",
    vcard: "",
    words: "",
    rule: "the further ones: a list of up to 50 `{ value, contexts, label, preferred, vCardProp }`, without that of `email`",
  },
  telephone: {
    kind: "telephone",
    min: 2,
    max: 40,
    search: "digits",
    column: true,
    label: { en: "Telephone", de: "Telefon", fr: "Téléphone", es: "Teléfono" },
    group: "Contact",
    vcard: "TEL",
    words:
      "phone, phone number, telephone number, tel, cell, mobile, mobile phone, mobile number, phone 1 - value, primary phone, company phone, telefonnummer, handy, mobiltelefon, telefon firma, haupttelefon, téléphone mobile, téléphone société, teléfono móvil",
    rule: "2 to 40: digits, spaces and `+ - . ( ) /`, perhaps an extension",
  },
  telephones: {
    kind: "telephone",
    of: "telephone",
    label: { en: "Further telephones", de: "Weitere Telefonnummern", fr: "Autres téléphones", es: "Otros teléfonos" },
    group: "Contact",
    vcard: "",
    words: "",
    rule: "the further ones: a list of up to 50 `{ value, contexts, features, label, preferred, vCardProp }`, without that of `telephone`",
  },
  "address.streetAddress": {
    kind: "line",
    max: 300,
    label: { en: "Street", de: "Straße", fr: "Rue", es: "Calle" },
    group: "Address",
    vcard: "ADR 2",
    words:
      "address, street address, address 1, address line 1, address street, strasse, straße und hausnummer, straße hausnummer, straße hausnr, straße nr, adresse, dirección",
    rule: "1 to 300",
  },
  "address.addressLocality": {
    kind: "line",
    max: 100,
    filter: "text",
    column: true,
    search: true,
    label: { en: "Town", de: "Ort", fr: "Ville", es: "Ciudad" },
    group: "Address",
    vcard: "ADR 3",
    words: "city, locality, address city, stadt, localidad, población",
    example: "London",
    rule: "1 to 100",
  },
  "address.addressRegion": {
    kind: "line",
    max: 100,
    filter: "text",
    label: { en: "Region", de: "Region", fr: "Région", es: "Región" },
    group: "Address",
    vcard: "ADR 4",
    words:
      "state, province, county, address region, bundesland, kanton, bundesland/kanton, département, dép/région, provincia, estado, provincia o estado",
    rule: "1 to 100",
  },
  "address.postalCode": {
    kind: "line",
    max: 20,
    filter: "text",
    label: { en: "Postal code", de: "Postleitzahl", fr: "Code postal", es: "Código postal" },
    group: "Address",
    vcard: "ADR 5",
    words: "zip, zip code, postcode, address postal code, plz",
    rule: "1 to 20",
  },
  "address.addressCountry": {
    kind: "country",
    filter: "text",
    label: { en: "Country", de: "Land", fr: "Pays", es: "País" },
    group: "Address",
    hint: {
      en: "A name, or its two capital letters.",
      de: "Ein Name oder die zwei Großbuchstaben.",
      fr: "Un nom, ou son code de deux majuscules.",
      es: "Un nombre o sus dos letras mayúsculas.",
    },
    vcard: "ADR 6",
    words: "country code, address country, country/region, land/region, pays/région, país/región, país o región",
    example: "GB",
    rule: "an ISO 3166-1 alpha-2 code in capitals",
  },
  addresses: {
    kind: "line",
    of: "address",
    label: { en: "Further addresses", de: "Weitere Adressen", fr: "Autres adresses", es: "Otras direcciones" },
    group: "Address",
    vcard: "",
    words: "",
    rule: "the further ones: a list of up to 50 `{ value, contexts, label, preferred, vCardProp }`, without that of `address`",
  },
  jobTitle: {
    kind: "line",
    max: 200,
    filter: "text",
    column: true,
    headline: true,
    search: true,
    label: { en: "Job title", de: "Funktion", fr: "Fonction", es: "Cargo" },
    group: "Work",
    vcard: "TITLE",
    words: "title, job, position, role, organization title, organization 1 - title, berufsbezeichnung, poste, puesto",
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
    label: { en: "Works for", de: "Arbeitgeber", fr: "Employeur", es: "Empresa" },
    group: "Work",
    vcard: "ORG 0",
    words:
      "company, employer, organisation, organization, org, organization name, organization 1 - name, firma, unternehmen, société, entreprise, organización, compañía",
    rule: "1 to 200",
  },
  department: {
    kind: "line",
    max: 200,
    filter: "text",
    search: true,
    within: "worksFor",
    label: { en: "Department", de: "Abteilung", fr: "Service", es: "Departamento" },
    group: "Work",
    vcard: "ORG 1",
    words:
      "organization department, organisation department, organization 1 - department, business unit, unit, team, abteilung firma, département de l’entreprise, sección",
    rule: "1 to 200",
  },
  url: {
    kind: "url",
    max: 2048,
    label: { en: "Website", de: "Website", fr: "Site web", es: "Sitio web" },
    group: "Contact",
    vcard: "URL",
    words: "homepage, web, web page, web page 1, website 1 - value, webseite, page web, página web",
    rule: "http or https, at most 2048, without a user name or password",
  },
  urls: {
    kind: "url",
    of: "url",
    label: { en: "Further websites", de: "Weitere Websites", fr: "Autres sites web", es: "Otros sitios web" },
    group: "Contact",
    vcard: "",
    words: "",
    rule: "the further ones: a list of up to 50 `{ value, contexts, label, preferred, vCardProp }`, without that of `url`",
  },
  knowsLanguage: {
    kind: "language",
    label: { en: "Language", de: "Sprache", fr: "Langue", es: "Idioma" },
    group: "Contact",
    hint: {
      en: "A language tag such as en, pt-BR or zh-Hans.",
      de: "Ein Sprachkürzel wie de, pt-BR oder zh-Hans.",
      fr: "Un code de langue comme fr, pt-BR ou zh-Hans.",
      es: "Un código de idioma como es, pt-BR o zh-Hans.",
    },
    vcard: "LANG",
    words: "lang, locale",
    rule: "a BCP 47 language tag such as `en` or `zh-Hans`",
  },
  languages: {
    kind: "language",
    of: "knowsLanguage",
    label: { en: "Further languages", de: "Weitere Sprachen", fr: "Autres langues", es: "Otros idiomas" },
    group: "Contact",
    vcard: "",
    words: "",
    rule: "the further ones: a list of up to 50 `{ value, contexts, label, preferred, vCardProp }`, without that of `knowsLanguage`",
  },
  categories: {
    kind: "line",
    list: true,
    max: 100,
    filter: "text",
    search: true,
    recordTerm: "keywords",
    label: { en: "Categories", de: "Kategorien", fr: "Catégories", es: "Categorías" },
    group: "More",
    hint: {
      en: "Such as member or press.",
      de: "Etwa Mitglied oder Presse.",
      fr: "Par exemple membre ou presse.",
      es: "Por ejemplo, socio o prensa.",
    },
    vcard: "CATEGORIES",
    words:
      "category, tags, tag, groups, group, group membership, labels, kategorie, gruppen, catégorie, étiquettes, groupes, categoría, etiquetas, grupos",
    example: ["member"],
    rule: "a list of up to 50, each 1 to 100 and none twice",
  },
  description: {
    kind: "text",
    min: 0,
    max: 4000,
    label: { en: "Notes", de: "Notizen", fr: "Notes", es: "Notas" },
    group: "More",
    vcard: "NOTE",
    words: "note, comment, comments, remarks, bio, about, bemerkung, bemerkungen, remarques",
    rule: "0 to 4000; only here TAB and line feed are allowed, and an empty text",
  },
  vCardProps: {
    kind: "property",
    list: true,
    max: 4000,
    label: { en: "Other properties", de: "Weitere Angaben", fr: "Autres propriétés", es: "Otras propiedades" },
    group: "More",
    hint: {
      en: "Properties of vCards that have no field here, such as X-SKYPE:ada.",
      de: "Angaben einer vCard, für die es hier kein Feld gibt, etwa X-SKYPE:ada.",
      fr: "Propriétés d’une vCard qui n’ont pas de champ ici, comme X-SKYPE:ada.",
      es: "Propiedades de una vCard que no tienen campo aquí, como X-SKYPE:ada.",
    },
    vcard: "",
    words: "",
    rule: "a list of up to 50 properties of a vCard that are no other member, each 1 to 4000, such as `X-SKYPE:ada`",
  },
  identifier: {
    kind: "line",
    max: 255,
    filter: "exact",
    unique: true,
    search: true,
    label: { en: "Identifier", de: "Kennung", fr: "Identifiant", es: "Identificador" },
    group: "More",
    hint: {
      en: "The id in another system, which no two people share.",
      de: "Die Nummer in einem anderen System; keine zwei Personen haben dieselbe.",
      fr: "L’identifiant dans un autre système, que deux personnes ne partagent pas.",
      es: "El identificador en otro sistema, que no comparten dos personas.",
    },
    vcard: "X-IDENTIFIER",
    words:
      "external id, customer id, employee id, member id, reference, uid, uuid, kundennummer, kundennr, mitgliedsnummer, personalnummer, numéro client, número de cliente",
    example: "A-1",
    rule: "1 to 255; another system's id: two people with the same are a 409",
  },
} as const;

/** The name of a member: `familyName`, `address.postalCode`. */
export type PersonMemberName = keyof typeof personMembers;

/** The members, each as what is known of all. */
export const memberTable: Readonly<Record<PersonMemberName, PersonMember>> = personMembers;

/** The members with their names, in order. */
export const memberEntries: readonly (readonly [name: PersonMemberName, member: PersonMember])[] = Object.entries(
  memberTable,
) as [PersonMemberName, PersonMember][]; // its own names

/** Returns the names of the members of an object, such as `address`, in order; none for a member that is a value. */
export const partNames = (object: string): readonly string[] =>
  memberEntries.flatMap(([name]) => (name.startsWith(`${object}.`) ? [name.slice(object.length + 1)] : []));

/** What the members whose names begin with this are parts of: the type of the node that it is in JSON-LD. */
export const objectTypes: Readonly<Record<string, string>> = { address: "PostalAddress" };

/** The member that has what a card says and no other member does, as properties of a vCard. */
export const otherProperties: string = memberEntries.find(([, { kind }]) => kind === "property")?.[0] ?? "";

/** The object of a person that has the members of a service's own. */
export const ownObject = "custom";

/** The values of a member beside the first one: `emails`, of which `email` is the first. */
export interface FurtherValues {
  readonly name: string;
  /** The member that is the first value, or the object of the members that are: `address`. */
  readonly single: string;
  /** The names of the members of its values, where these are objects. */
  readonly parts: readonly string[];
  /** Whether it is said what its values can do. */
  readonly hasFeatures: boolean;
}

export const furtherValues: readonly FurtherValues[] = memberEntries.flatMap(([name, { of, kind }]) =>
  of === undefined ? [] : [{ name, single: of, parts: partNames(of), hasFeatures: kind === "telephone" }],
);

/** The most values of a list. */
export const mostValues = 50;

/** What a value is used for, as RFC 9553 §1.5.1 has it. */
export const contexts: readonly string[] = ["private", "work"];

/** What a telephone can do (RFC 9553 §2.3.3). */
export const features: readonly string[] = [
  "fax",
  "main-number",
  "mobile",
  "pager",
  "text",
  "textphone",
  "video",
  "voice",
];

/** The members of which a name is made. */
export const nameParts = ["givenName", "additionalName", "familyName"] as const;

/** The members of which a person has at least one. */
export const nameSources = ["name", "givenName", "familyName"] as const;

/** What people of files are called who have none of these, the first that there is. */
export const otherNames = ["worksFor", "alternateName", "email", "telephone"] as const;

/** Groups of members: two people with the same values of all members of a group are likely one person. */
export const alikeBy: readonly (readonly PersonMemberName[])[] = [["email"], ["name", "birthDate"]];

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
}: Readonly<Partial<Record<(typeof nameParts)[number], string | undefined>>>): string {
  const full = join(givenName, additionalName, familyName);
  if (countCharacters(full) <= longestName) return full;
  const short = join(givenName, familyName);
  return countCharacters(short) <= longestName ? short : join(familyName);
}

/** In characters. */
export const longestName: number = personMembers.name.max;

function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" ");
}
