import { csvDecoder, type ListDecoder, ndjsonDecoder } from "@waymark/collection";
import { personMemberNames } from "./person/person.ts";

/** Reads people from CSV: the demo's, and those that clients send. */
export const personCsvDecoder: ListDecoder = csvDecoder({ columns: personMemberNames(), integers: ["id"] });

/** What many people can be sent in. */
export const personListDecoders: readonly ListDecoder[] = [ndjsonDecoder, personCsvDecoder];
