import { personMemberNames } from "../person/schema.ts";

/** Returns what a heading or a name is compared by: its letters and digits, in small letters and without marks. */
export const toLooseKey = (name: string): string =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");

const usualWords: Readonly<Record<string, string>> = {
  name: "full name, display name, person, fullname",
  givenName: "first name, forename, given, vorname, prénom",
  additionalName: "middle name, second name, middle",
  familyName: "last name, surname, family, nachname, nom de famille",
  alternateName: "nickname, alias, also known as, spitzname",
  birthDate: "birthday, date of birth, dob, born, geburtsdatum, geburtstag",
  email: "e-mail, mail, email address, e-mail address, e-mail 1 - value",
  telephone: "phone, phone number, telephone number, tel, mobile, mobile phone, telefon, phone 1 - value",
  "address.streetAddress": "street, address, street address, address line 1, strasse, straße",
  "address.addressLocality": "city, town, locality, ort, stadt",
  "address.addressRegion": "state, region, province, county",
  "address.postalCode": "zip, zip code, postcode, postal code, plz",
  "address.addressCountry": "country, land, country code",
  jobTitle: "title, job, position, role, job title",
  worksFor: "company, organisation, organization, employer, firma",
  url: "website, web site, homepage, web",
  knowsLanguage: "language, sprache",
  description: "notes, note, comment, comments, remarks, bemerkung",
  identifier: "external id, customer id, employee id, member id, reference",
};

/**
 * Returns the headings that mean a member, as `toLooseKey` has them: its own name in any case, `postal_code` for one of the address, and
 * usual words for it. The times that the service sets have none.
 */
export function wordsForMembers(): ReadonlyMap<string, readonly string[]> {
  words ??= wordsOfMembers();
  return words;
}

/** Made at the first question, since a start takes 2 ms longer with it. */
let words: ReadonlyMap<string, readonly string[]> | undefined;

function wordsOfMembers(): ReadonlyMap<string, readonly string[]> {
  const members = personMemberNames().filter((member) => member !== "createdAt" && member !== "updatedAt");
  return new Map(
    members.map((member) => {
      const others = usualWords[member]?.split(", ") ?? [];
      return [member, [...new Set([member, member.replace(/^address\./, ""), ...others].map(toLooseKey))]];
    }),
  );
}
