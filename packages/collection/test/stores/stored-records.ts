import { HttpRequest } from "waymark";
import type { ItemRepresentation, ListRepresentation, StoredRecord } from "../../src/index.ts";
import { type ListOptions, listText } from "../../src/internal.ts";

/** A record with this id and these members, as a store would give it. */
export function storedRecord(members: object, id = 1): StoredRecord {
  return { id, revision: id, updatedAt: 0, json: JSON.stringify({ id, ...members }) };
}

/** What the collection of these records is reached by. */
export const url = "/books";

const request: HttpRequest<unknown> = HttpRequest.of();

/** The text of this record. */
export const itemOf = (representation: ItemRepresentation, record: StoredRecord): string =>
  representation.item(record, { url, request });

/** The text of a list of these records, read two at a time. */
export async function listOf(
  representation: ListRepresentation,
  records: readonly StoredRecord[],
  options: Partial<ListOptions> = {},
): Promise<string> {
  const syntax = representation.list({ url, request, ...options });
  return (await Array.fromAsync(listText(inBatches(records), syntax))).join("");
}

async function* inBatches(records: readonly StoredRecord[]): AsyncGenerator<readonly StoredRecord[]> {
  for (let i = 0; i < records.length; i += 2) yield records.slice(i, i + 2);
}
