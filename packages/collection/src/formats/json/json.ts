import { ContentError, jsonDecoder } from "waymark/content";
import type { MediaType } from "waymark/fields";
import type { ItemRepresentation, ListRepresentation } from "../../representation.ts";
import type { StoredRecord } from "../../stores/contract/store.ts";
import type { Line } from "../lines.ts";
import { type ListedValue, longestRecord } from "../list-decoder.ts";

/** Sends records as JSON, as they are stored; a list is one array. */
export const jsonRepresentation: ItemRepresentation & ListRepresentation = {
  name: "json",
  extension: "json",
  mediaType: "application/json",
  contentType: "application/json",
  item: toJson,
  list: () => ({ before: "[", item: toJson, between: ",", after: "]" }),
};

function toJson({ json }: StoredRecord): string {
  return json;
}

/**
 * Reads the JSON of one record in a list, as strictly as `jsonDecoder`. Malformed JSON concerns this record only.
 *
 * @param toMessage describes what is wrong with malformed text
 */
export function readListedJson(
  { number: line, bytes }: Line,
  mediaType: MediaType,
  toMessage: (error: ContentError) => string,
): ListedValue {
  if (bytes === undefined) return { line, issues: [{ message: `is longer than ${longestRecord} bytes` }] };
  try {
    return { line, value: jsonDecoder.decode(bytes, mediaType) };
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return { line, issues: [{ message: toMessage(error) }] };
  }
}
