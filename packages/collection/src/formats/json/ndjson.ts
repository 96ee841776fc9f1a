import type { ContentError } from "waymark/content";
import type { MediaType } from "waymark/fields";
import type { ListRepresentation } from "../../representation.ts";
import { BlankLines, type Line, LineCutter } from "../lines.ts";
import { type ListDecoder, type ListedValue, longestRecord } from "../list-decoder.ts";
import { readListedJson } from "./json.ts";

/** Sends a list as `application/x-ndjson`: one JSON object a line, so that a reader needs memory for one record only. */
export const ndjsonRepresentation: ListRepresentation = {
  name: "ndjson",
  extension: "ndjson",
  mediaType: "application/x-ndjson",
  contentType: "application/x-ndjson",
  list: () => ({ item: ({ json }) => `${json}\n` }),
};

/**
 * Reads `application/x-ndjson`: one JSON value a line, as strictly as `jsonDecoder`. Lines end with LF or CRLF; up to
 * 1,000,000 blank lines are skipped. A malformed line, or one above 1 MiB, concerns that record only.
 */
export const ndjsonDecoder: ListDecoder = {
  mediaTypes: ["application/x-ndjson"],
  charsets: ["utf-8"],
  async *decode(pieces, { mediaType }) {
    const lines = new LineCutter(longestRecord);
    const blankLines = new BlankLines();
    for await (const piece of pieces) {
      for (const value of toValues(lines.add(piece), mediaType, blankLines)) yield value;
    }
    for (const value of toValues(lines.end(), mediaType, blankLines)) yield value;
  },
};

function* toValues(
  lines: Iterable<Line>,
  mediaType: MediaType,
  blankLines: BlankLines,
): Generator<ListedValue, void, undefined> {
  for (const line of lines) {
    if (isBlank(line)) blankLines.count(line.number);
    else yield readListedJson(line, mediaType, faultInLine);
  }
}

/** Describes an error without its line, which the answer names elsewhere. */
const faultInLine = ({ detail, column }: ContentError): string =>
  column === undefined
    ? detail
    : `${detail} at column ${column}${detail.endsWith(`value, but found "{"`) ? joined : ""}`;

/** Two objects on a line are mostly two lines whose end was lost, as `curl -d` loses those of a file. */
const joined = "; each record has a line of its own, and curl keeps the ends of lines with --data-binary";

const isBlank = ({ bytes }: Line): boolean => bytes?.every((byte) => byte === space || byte === tab) === true;

const space = 0x20;
const tab = 0x09;
