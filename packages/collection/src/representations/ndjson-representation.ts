import type { ListRepresentation } from "../representation.ts";
import { listText } from "./list-text.ts";

/**
 * A list as `application/x-ndjson`: a JSON object a line, so that a reader needs no more memory than for one record.
 * A text in JSON has no line ends of its own.
 */
export const ndjsonRepresentation: ListRepresentation = {
  name: "ndjson",
  mediaType: "application/x-ndjson",
  contentType: "application/x-ndjson",
  list: (batches) => listText(batches, { item: ({ json }) => `${json}\n` }),
};
