import { ContentError } from "waymark/content";
import { requireOptions, wording } from "waymark/internal";
import { setMember } from "../../members/json-object.ts";
import { toBoolean, toNumber } from "../../members/value.ts";
import type { ListDecoder } from "../list-decoder.ts";
import { unguardFormula } from "./csv.ts";
import { type CsvColumn, type CsvHeader, type CsvMembers, readCsvHeader } from "./csv-header.ts";
import { readCsvRecords } from "./csv-records.ts";
import { parseListCell } from "./list-cell.ts";

/** The options of `csvDecoder`. */
export interface CsvDecoderOptions {
  /** The columns that a file may have, in any order; `address.postalCode` is a member of an object. */
  readonly columns: readonly string[];
  /**
   * The columns that are numbers. Canonical decimal text becomes a number; other text stays text, and the schema
   * refuses it.
   */
  readonly numbers?: readonly string[];
  /** The columns that are `true` or `false`; other text stays text. Default: none. */
  readonly booleans?: readonly string[];
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

const optionTypes: requireOptions.Types<CsvDecoderOptions> = {
  columns: "array",
  numbers: "array",
  booleans: "array",
  lists: "array",
  delimiter: "string",
  toColumn: "function",
  formulas: "string",
};

/**
 * Reads `text/csv` (RFC 4180) as `csvRepresentation` writes it: a header that names members, then a record for each row. An
 * empty cell is an absent member. A quoted empty cell (`""`) is an empty text, except in files whose header is quoted too, where
 * quotation marks have no meaning. A byte order mark is allowed, and lines may end in LF. Content in which the end of a row is
 * unclear is refused completely; any other mistake concerns its row only. A column without a name in the header is allowed if its
 * cells are empty. A file has at most 1,000 columns, whose names have at most 255 characters and 64 levels.
 *
 * ```ts
 * csvDecoder({ columns: ["id", "name", "address.postalCode"], numbers: ["id"] })
 * // id,address.postalCode
 * // 7,W1
 * // → { id: 7, address: { postalCode: "W1" } }
 * ```
 */
export function csvDecoder(options: CsvDecoderOptions): ListDecoder {
  requireOptions("csvDecoder({ … })", options, optionTypes);
  const {
    columns,
    numbers = [],
    booleans = [],
    lists = [],
    delimiter = ",",
    toColumn = (name) => name,
    formulas,
  } = options;
  if (!/^[^"\r\n\u0080-\uffff]$/.test(delimiter))
    throw new TypeError(`${wording.excerpt(delimiter)} cannot separate cells`);
  const [known, listed] = [new Set(columns), new Set(lists)];
  const [numeric, logical] = [new Set(numbers), new Set(booleans)];
  const toText = formulas === "as-is" ? (text: string) => text : unguardFormula;
  const toValue = ({ name }: CsvColumn, cell: string): unknown => {
    const text = toText(cell);
    if (numeric.has(name)) return toNumber(text);
    if (logical.has(name)) return toBoolean(text);
    return listed.has(name) ? parseListCell(text) : text;
  };
  return {
    mediaTypes: ["text/csv"],
    charsets: ["utf-8"],
    async *decode(pieces, { mediaType, lenient, onColumns }) {
      if (mediaType.parameters.get("header")?.toLowerCase() === "absent") {
        throw new ContentError("The Content-Type says header=absent, but a header must name the columns");
      }
      let header: (CsvHeader & { readonly length: number; readonly isQuoted: boolean }) | undefined;
      for await (const { line, cells, quoted, fault } of readCsvRecords(pieces, delimiter)) {
        if (header === undefined) {
          if (cells === undefined) throw new ContentError(`The header ${fault}`, { line, column: 1 });
          const read = readCsvHeader(cells, toColumn, lenient ? undefined : known, line);
          header = { ...read, length: cells.length, isQuoted: quoted !== undefined };
          onColumns?.(read.names);
        } else if (cells === undefined) {
          yield { line, issues: [{ message: fault }] };
        } else if (cells.length !== header.length) {
          yield { line, issues: [{ message: `has ${counted(cells.length)}; the header has ${header.length}` }] };
        } else {
          const row = { cells, quoted: header.isQuoted ? undefined : quoted };
          const nameless = header.nameless.find((index) => cells[index] !== "");
          if (nameless === undefined) yield { line, value: toObject(header.members, row, toValue) ?? {} };
          else yield { line, issues: [{ message: inNameless(nameless, cells[nameless] ?? "") }] };
        }
      }
      if (header === undefined) {
        throw new ContentError("The content has no header to name the columns", { line: 1, column: 1 });
      }
    },
  };
}

interface Row {
  readonly cells: readonly string[];
  /** Which empty cells are texts; undefined where each is an absent member. */
  readonly quoted: readonly boolean[] | undefined;
}

/** Makes the object of a row, or a part of it; undefined when all of its cells are absent. */
function toObject(
  members: CsvMembers,
  row: Row,
  toValue: (column: CsvColumn, text: string) => unknown,
): object | undefined {
  let object: Record<string, unknown> | undefined;
  for (const [name, member] of members) {
    let value: unknown;
    if ("index" in member) {
      const text = row.cells[member.index] ?? "";
      if (text === "" && row.quoted?.[member.index] !== true) continue;
      value = toValue(member, text);
    } else value = toObject(member, row, toValue);
    if (value === undefined) continue;
    object ??= {};
    setMember(object, name, value);
  }
  return object;
}

const inNameless = (index: number, text: string): string =>
  `has ${wording.excerpt(text)} in column ${index + 1}, which has no name in the header`;

const counted = (cells: number): string => (cells === 1 ? "1 cell" : `${cells} cells`);
