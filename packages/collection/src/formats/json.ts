import type { ItemRepresentation, ListRepresentation } from "../representation.ts";
import type { StoredRecord } from "../store.ts";
import { listText } from "./list-text.ts";

/** Sends records as JSON, as they are stored; a list is one array. */
export const jsonRepresentation: ItemRepresentation & ListRepresentation = {
  name: "json",
  extension: "json",
  mediaType: "application/json",
  contentType: "application/json",
  item: toJson,
  list: (batches) => listText(batches, { before: "[", item: toJson, between: ",", after: "]" }),
};

function toJson({ json }: StoredRecord): string {
  return json;
}
