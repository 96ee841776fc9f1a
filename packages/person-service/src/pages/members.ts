/** How a member of a person is shown and asked for. */
export interface MemberField {
  /** `familyName`, or `address.postalCode` for a member of the address. */
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "lines" | "date" | "email" | "telephone" | "url" | "country" | "time";
  /** What stands below its field. */
  readonly hint?: string;
}

/** Members that are shown together. */
export interface MemberGroup {
  readonly title: string;
  readonly members: readonly MemberField[];
}

const text = (name: string, label: string, others: Partial<MemberField> = {}): MemberField => ({
  name,
  label,
  kind: "text",
  ...others,
});

/** The members that people edit, in the order of the page. */
export const memberGroups: readonly MemberGroup[] = [
  {
    title: "Name",
    members: [
      text("name", "Name", { hint: "Made of the names below when it is left empty." }),
      text("givenName", "Given name"),
      text("additionalName", "Additional name"),
      text("familyName", "Family name"),
      text("alternateName", "Also known as"),
      text("birthDate", "Date of birth", { kind: "date", hint: "Year, month and day, such as 1950-01-31." }),
    ],
  },
  {
    title: "Contact",
    members: [
      text("email", "Email", { kind: "email" }),
      text("telephone", "Telephone", { kind: "telephone" }),
      text("url", "Website", { kind: "url" }),
      text("knowsLanguage", "Language", { hint: "A language tag such as en, pt-BR or zh-Hans." }),
    ],
  },
  {
    title: "Address",
    members: [
      text("address.streetAddress", "Street"),
      text("address.postalCode", "Postal code"),
      text("address.addressLocality", "Town"),
      text("address.addressRegion", "Region"),
      text("address.addressCountry", "Country", {
        kind: "country",
        hint: "A name, or its two capital letters.",
      }),
    ],
  },
  {
    title: "Work",
    members: [text("jobTitle", "Job title"), text("worksFor", "Works for")],
  },
  {
    title: "More",
    members: [
      text("identifier", "Identifier", { hint: "The id in another system, which no two people share." }),
      text("description", "Notes", { kind: "lines" }),
    ],
  },
];

/** Every member of a stored person. */
export const memberFields: readonly MemberField[] = [
  text("id", "Number"),
  ...memberGroups.flatMap(({ members }) => members),
  text("createdAt", "Created", { kind: "time" }),
  text("updatedAt", "Changed", { kind: "time" }),
];

const byName = new Map(memberFields.map((field) => [field.name, field]));

/** Returns the field of a member; a member without one is a text under its own name. */
export const fieldOf = (name: string): MemberField => byName.get(name) ?? text(name, name);

/** Returns the value of a member as text; undefined when the person does not have it. */
export function memberValue(person: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const [outer = "", inner] = name.split(".");
  const value = Object.hasOwn(person, outer) ? person[outer] : undefined;
  if (inner === undefined) return value === undefined ? undefined : String(value);
  // The schema of a person has one object, the address.
  return typeof value === "object" && value !== null ? memberValue(value as Record<string, unknown>, inner) : undefined;
}
