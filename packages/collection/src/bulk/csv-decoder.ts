import { MalformedContent } from "waymark";
import { toInteger } from "../integer-text.ts";
import { unguardFormula } from "../representations/formula-guard.ts";
import { type CsvColumn, type CsvMembers, readCsvHeader } from "./csv-header.ts";
import { type CsvCell, readCsvRecords } from "./csv-records.ts";
import type { ListDecoder, ListedValue } from "./list-decoder.ts";

export interface CsvDecoderOptions {
  /** The columns that a file may have, in whatever order: `address.postalCode` is the member of an object. */
  readonly columns: readonly string[];
  /** The columns that are integers. Canonical decimal text becomes a number; other text stays text, for the schema to refuse. */
  readonly integers?: readonly string[];
  /** Whether text has the apostrophe that `csvRepresentation` puts before formulas, which is taken away. Default: `guarded`. */
  readonly formulas?: "guarded" | "as-is";
}

/**
 * Reads `text/csv` (RFC 4180), as `csvRepresentation` writes it: a header that names members, then a record a row. An empty
 * cell is an absent member, and a quoted one (`""`) an empty text, unless the header is in quotation marks too: then they
 * mean nothing. A byte order mark is taken, and lines may end in LF. Rows that cannot be told from one another refuse the
 * whole; any other fault is that of its row.
 *
 * ```ts
 * csvDecoder({ columns: ["id", "name", "address.postalCode"], integers: ["id"] })
 * // id,address.postalCode
 * // 7,W1
 * // → { id: 7, address: { postalCode: "W1" } }
 * ```
 */
export function csvDecoder({ columns, integers = [], formulas = "guarded" }: CsvDecoderOptions): ListDecoder {
  const toText = formulas === "guarded" ? unguardFormula : (text: string) => text;
  const toValue = ({ name }: CsvColumn, text: string): unknown =>
    integers.includes(name) ? toInteger(text) : toText(text);
  return {
    mediaTypes: ["text/csv"],
    charsets: ["utf-8"],
    async *decode(pieces, { mediaType, lenient }) {
      if (mediaType.parameters.get("header")?.toLowerCase() === "absent") {
        throw new MalformedContent("The Content-Type says header=absent, and a header must name the columns");
      }
      let header: { readonly members: CsvMembers; readonly length: number; readonly isQuoted: boolean } | undefined;
      for await (const { line, cells } of readCsvRecords(pieces)) {
        if (header === undefined) {
          if (cells === undefined) throw new MalformedContent(`The header ${misquoted}`, { line, column: 1 });
          const members = readCsvHeader(cells, lenient ? undefined : columns, line);
          header = { members, length: cells.length, isQuoted: cells.some(({ isQuoted }) => isQuoted) };
        } else if (cells === undefined) {
          yield fault(line, misquoted);
        } else if (cells.length !== header.length) {
          yield fault(line, `has ${counted(cells.length)}, and the header ${header.length}`);
        } else {
          const isAbsent = ({ text, isQuoted }: CsvCell) => text === "" && (!isQuoted || header?.isQuoted === true);
          yield { line, value: toObject(header.members, cells, isAbsent, toValue) ?? {} };
        }
      }
      if (header === undefined) {
        throw new MalformedContent("The content has no header to name the columns", { line: 1, column: 1 });
      }
    },
  };
}

/** The object that a row says, or the part of it; undefined when all of its cells are absent. */
function toObject(
  members: CsvMembers,
  cells: readonly CsvCell[],
  isAbsent: (cell: CsvCell) => boolean,
  toValue: (column: CsvColumn, text: string) => unknown,
): object | undefined {
  const entries: [string, unknown][] = [];
  for (const [name, member] of members) {
    if (!("index" in member)) {
      const inner = toObject(member, cells, isAbsent, toValue);
      if (inner !== undefined) entries.push([name, inner]);
      continue;
    }
    const cell = cells[member.index] as CsvCell; // there are as many as in the header
    if (!isAbsent(cell)) entries.push([name, toValue(member, cell.text)]);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const fault = (line: number, message: string): ListedValue => ({ line, issues: [{ message }] });

const counted = (cells: number): string => (cells === 1 ? "1 cell" : `${cells} cells`);

const misquoted =
  'has a quotation mark in the wrong place: a cell that has one is in quotation marks, and each in it is doubled, as in "5"" pipe"';
