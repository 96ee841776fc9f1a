import type { CollectionDefinition } from "@waymark/collection";

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
  fullText: ["name", "alternateName", "email", "worksFor"],
};
