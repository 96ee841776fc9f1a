import type { CollectionDefinition } from "@waymark/collection";

/** What a database must know of the people. */
export const personCollection: CollectionDefinition = { name: "person", unique: ["identifier"] };
