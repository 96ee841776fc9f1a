import { createReadStream } from "node:fs";
import { type Store, StoreNotEmpty } from "@waymark/collection";
import { displayAddress } from "@waymark/collection/internal";
import type { MediaType } from "waymark/fields";
import { quote } from "waymark/internal";
import { packageFile } from "../package-files.ts";
import { personCsvDecoder } from "./collection.ts";
import { ourMembers } from "./member-list.ts";
import type { Person } from "./person.ts";
import { personSchema } from "./schema.ts";

/**
 * Reads the people of the demo: 537 members of the United States Congress, in the order of `data/legislators.csv`, without ids.
 *
 * @throws Error (rejects) when the file cannot be read, or as `peopleFromCsv`
 */
export function demoPeople(): Promise<readonly Person[]> {
  return peopleFromCsv(createReadStream(packageFile("data/legislators.csv")));
}

/**
 * Reads people from CSV by the rules for clients of the service.
 *
 * @throws ContentError (rejects) when the content is not CSV of people
 * @throws Error (rejects) with line and members when a row is not a valid person
 */
export async function peopleFromCsv(pieces: AsyncIterable<Uint8Array>): Promise<readonly Person[]> {
  const { validate } = personSchema()["~standard"];
  const decoder = personCsvDecoder(ourMembers);
  const people: Person[] = [];
  for await (const { line, value, issues } of decoder.decode(pieces, { mediaType: csv, lenient: false })) {
    const result = issues === undefined ? validate(value) : { issues };
    if (result.issues === undefined) {
      people.push(result.value);
      continue;
    }
    const faults = result.issues.map(({ path = [], message }) => [path.join("."), message].join(" ").trimStart());
    throw new Error(`The row on line ${line} is no person: ${faults.join("; ")}.`);
  }
  return people;
}

const csv: MediaType = { type: "text", subtype: "csv", parameters: new Map() };

/** Stores the people of the demo in an empty database, and returns a line that says so. */
export async function storeDemo(people: Store, demo: readonly Person[], address: string): Promise<string> {
  try {
    const creation = await people.createAll(demo, { onlyIfEmpty: true });
    if (creation.kind === "created") return `stored ${creation.count} people for the demo`;
    throw new Error(`The demo has people who cannot be stored: ${JSON.stringify(creation)}`);
  } catch (error) {
    if (!(error instanceof StoreNotEmpty)) throw error;
    return `--demo: ${quote(displayAddress(address))} already has people, so nothing was added`;
  }
}
