import { ContentError } from "waymark/content";
import { excerpt } from "waymark/internal";
import { toInteger } from "../member-value.ts";
import { unguardFormula } from "./csv.ts";
import { type CsvColumn, type CsvHeader, type CsvMembers, readCsvHeader } from "./csv-header.ts";
import { type CsvCell, readCsvRecords } from "./csv-records.ts";
import { parseListCell } from "./list-cell.ts";
import type { ListDecoder } from "./list-decoder.ts";

/** The options of `csvDecoder`. */
export interface CsvDecoderOptions {
  /** The columns that a file may have, in any order; `address.postalCode` is a member of an object. */
  readonly columns: readonly string[];
  /**
   * The columns that are integers. Canonical decimal text becomes a number; other text stays text, and the schema
   * refuses it.
   */
  readonly integers?: readonly string[];
  /** The columns that are lists, with `;` between their texts, or as JSON. Default: none. */
  readonly lists?: readonly string[];
  /** The ASCII character that separates the cells of a row. Default: a comma. */
  readonly delimiter?: string;
  /**
   * Returns which of `columns` a name in the header stands for; undefined leaves the column out. The name is empty for a column
   * without one. Default: the name itself.
   */
  readonly toColumn?: (name: string) => string | undefined;
  /**
   * Whether to remove what `csvRepresentation` and `excelCsvRepresentation` put before and around text for spreadsheets. Default:
   * `guarded`.
   */
  readonly formulas?: "guarded" | "as-is";
}

/**
 * Reads `text/csv` (RFC 4180) as `csvRepresentation` writes it: a header that names members, then a record for each row. An
 * empty cell is an absent member. A quoted empty cell (`""`) is an empty text, except in files whose header is quoted too, where
 * quotation marks have no meaning. A byte order mark is allowed, and lines may end in LF. Content in which the end of a row is
 * unclear is refused completely; any other mistake concerns its row only. A column without a name in the header is allowed if its
 * cells are empty. A file has at most 1,000 columns, whose names have at most 255 characters and 64 levels.
 *
 * ```ts
 * csvDecoder({ columns: ["id", "name", "address.postalCode"], integers: ["id"] })
 * // id,address.postalCode
 * // 7,W1
 * // → { id: 7, address: { postalCode: "W1" } }
 * ```
 */
export function csvDecoder(options: CsvDecoderOptions): ListDecoder {
  const {
    columns,
    integers = [],
    lists = [],
    delimiter = ",",
    toColumn = (name) => name,
    formulas = "guarded",
  } = options;
  if (!/^[^"\r\n\u0080-\uffff]$/.test(delimiter)) throw new TypeError(`${excerpt(delimiter)} cannot separate cells`);
  const [known, numbers, listed] = [new Set(columns), new Set(integers), new Set(lists)];
  const toText = formulas === "guarded" ? unguardFormula : (text: string) => text;
  const toValue = ({ name }: CsvColumn, cell: string): unknown => {
    const text = toText(cell);
    if (numbers.has(name)) return toInteger(text);
    return listed.has(name) ? parseListCell(text) : text;
  };
  return {
    mediaTypes: ["text/csv"],
    charsets: ["utf-8"],
    async *decode(pieces, { mediaType, lenient }) {
      if (mediaType.parameters.get("header")?.toLowerCase() === "absent") {
        throw new ContentError("The Content-Type says header=absent, but a header must name the columns");
      }
      let header: (CsvHeader & { readonly length: number; readonly isQuoted: boolean }) | undefined;
      for await (const { line, cells, fault } of readCsvRecords(pieces, delimiter)) {
        if (header === undefined) {
          if (cells === undefined) throw new ContentError(`The header ${fault}`, { line, column: 1 });
          const read = readCsvHeader(cells, toColumn, lenient ? undefined : known, line);
          header = { ...read, length: cells.length, isQuoted: cells.some(({ isQuoted }) => isQuoted) };
        } else if (cells === undefined) {
          yield { line, issues: [{ message: fault }] };
        } else if (cells.length !== header.length) {
          yield { line, issues: [{ message: `has ${counted(cells.length)}; the header has ${header.length}` }] };
        } else {
          const isAbsent = ({ text, isQuoted }: CsvCell) => text === "" && (!isQuoted || header?.isQuoted === true);
          const nameless = header.nameless.find((index) => cells[index]?.text !== "");
          if (nameless === undefined) yield { line, value: toObject(header.members, cells, isAbsent, toValue) ?? {} };
          else yield { line, issues: [{ message: inNameless(nameless, cells[nameless]?.text ?? "") }] };
        }
      }
      if (header === undefined) {
        throw new ContentError("The content has no header to name the columns", { line: 1, column: 1 });
      }
    },
  };
}

/** Makes the object of a row, or a part of it; undefined when all of its cells are absent. */
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
    const cell = cells[member.index] as CsvCell; // a row has as many cells as the header
    if (!isAbsent(cell)) entries.push([name, toValue(member, cell.text)]);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const inNameless = (index: number, text: string): string =>
  `has ${excerpt(text)} in column ${index + 1}, which has no name in the header`;

const counted = (cells: number): string => (cells === 1 ? "1 cell" : `${cells} cells`);
