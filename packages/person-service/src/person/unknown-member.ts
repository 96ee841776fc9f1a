import { nearestName, orNearest } from "waymark/internal";

/** The members of a person or an address, for messages about unknown ones. */
export interface KnownMembers {
  /** `a person` or `an address`. */
  readonly of: string;
  readonly names: readonly string[];
}

/**
 * Returns the message for an unknown member: it suggests the most likely known one, and lists all of them for the first unknown
 * member only.
 *
 * ```ts
 * describeUnknownMember("firstName", { of: "a person", names: ["name", "givenName"] }, true);
 * // "is not a member of a person; did you mean givenName? Known: name, givenName"
 * ```
 */
export function describeUnknownMember(name: string, { of, names }: KnownMembers, isFirst: boolean): string {
  const usual = usualNames.get(name.toLowerCase().replaceAll(/[ _-]/g, ""));
  const isOfAddress = usual?.startsWith("address.") === true;
  // Messages about an address name its members without the prefix.
  const near = names.includes("address") ? usual : isOfAddress ? usual?.slice("address.".length) : undefined;
  const hint = orNearest(near ?? nearestName(name, names));
  const listed = isFirst ? `${hint === "" ? "." : ""} Known: ${names.join(", ")}` : "";
  return `is not a member of ${of}${hint}${listed}`;
}

/** The names of our members in other programs, in lower case and without separators. */
const usualNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    name: ["fullname", "displayname"],
    givenName: ["firstname", "forename", "first"],
    additionalName: ["middlename"],
    familyName: ["lastname", "surname", "last"],
    alternateName: ["nickname", "alias"],
    birthDate: ["birthday", "dateofbirth", "dob", "born", "bday"],
    email: ["mail", "emailaddress"],
    telephone: ["phone", "tel", "mobile", "phonenumber", "cell"],
    jobTitle: ["title", "job", "position", "role"],
    worksFor: ["company", "employer", "organization", "organisation", "org"],
    url: ["website", "homepage", "web"],
    knowsLanguage: ["language", "lang", "locale"],
    description: ["notes", "note", "comment", "bio", "about"],
    identifier: ["externalid", "uid", "uuid"],
    "address.streetAddress": ["street", "address1", "addressline1"],
    "address.addressLocality": ["city", "town", "locality"],
    "address.addressRegion": ["state", "region", "province"],
    "address.postalCode": ["zip", "zipcode", "postcode"],
    "address.addressCountry": ["country", "countrycode"],
  }).flatMap(([ours, theirs]) => [ours.split(".").at(-1) ?? "", ...theirs].map((name) => [name.toLowerCase(), ours])),
);
