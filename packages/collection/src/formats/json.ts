import type { ItemRepresentation, ListRepresentation } from "../representation.ts";
import type { StoredRecord } from "../store.ts";
import { listText } from "./list-text.ts";

/** Records as JSON, sent as they are stored; many are one array. */
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
