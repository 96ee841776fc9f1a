import { createReadStream } from "node:fs";
import { type Store, StoreNotEmpty } from "@waymark/collection";
import { displayAddress } from "@waymark/collection/internal";
import type { MediaType } from "waymark/fields";
import { wording } from "waymark/internal";
import { packageFile } from "../package-files.ts";
import { personCsvDecoder } from "./collection.ts";
import { ourMembers } from "./members/member-list.ts";
import type { Person } from "./members/person.ts";
import { personSchema } from "./schema.ts";

/** Reads the people of the demo: 537 members of the United States Congress, in the order of `data/legislators.csv`, without ids. */
export function demoPeople(): Promise<readonly Person[]> {
  const { validate } = personSchema()["~standard"];
  const file = createReadStream(packageFile("data/legislators.csv"));
  const rows = personCsvDecoder(ourMembers).decode(file, { mediaType: csv, lenient: false });
  return Array.fromAsync(rows, ({ line, value, issues }) => {
    const result = issues === undefined ? validate(value) : { issues };
    if (result.issues === undefined) return result.value;
    throw new Error(`Line ${line} of the demo is no person: ${JSON.stringify(result.issues)}`);
  });
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
    return `--demo: ${wording.quote(displayAddress(address))} already has people, so nothing was added`;
  }
}
