import { CsvError, parse } from "csv-parse/sync";
import { ContentError, decodeUtf8, excerpt } from "waymark/content";
import { GatheredBytes } from "../bulk/gathered-bytes.ts";
import { toInteger } from "../member-value.ts";
import { unguardFormula } from "./csv.ts";
import { BlankLines, type ListDecoder, longestRecord } from "./list-decoder.ts";

export interface CsvDecoderOptions {
  /** The columns that a file may have, in any order; `address.postalCode` is a member of an object. */
  readonly columns: readonly string[];
  /**
   * The columns that are integers. Canonical decimal text becomes a number; other text stays text, and the schema
   * refuses it.
   */
  readonly integers?: readonly string[];
  /** The character of ASCII that separates the cells of a row. Default: a comma. */
  readonly delimiter?: string;
  /**
   * Makes the name that a header has for a column into one of `columns`; undefined leaves the column out. Default: the name
   * as it is.
   */
  readonly toColumn?: (name: string) => string | undefined;
  /** Whether to remove the apostrophe that `csvRepresentation` puts before formulas. Default: `guarded`. */
  readonly formulas?: "guarded" | "as-is";
}

/**
 * Reads `text/csv` (RFC 4180), as `csvRepresentation` writes it: a header that names members, then a record a row. An empty
 * cell is an absent member, and a quoted one (`""`) an empty text, unless the header is in quotation marks too: then they
 * mean nothing. A byte order mark is taken, and lines may end in LF. Rows that cannot be told from one another refuse the
 * whole; any other fault is that of its row. A file has at most 1,000 columns, whose names are at most 255 characters long and 64
 * levels deep.
 *
 * ```ts
 * csvDecoder({ columns: ["id", "name", "address.postalCode"], integers: ["id"] })
 * // id,address.postalCode
 * // 7,W1
 * // → { id: 7, address: { postalCode: "W1" } }
 * ```
 */
export function csvDecoder(options: CsvDecoderOptions): ListDecoder {
  const { columns, integers = [], delimiter = ",", toColumn = (name) => name, formulas = "guarded" } = options;
  if (!/^[^"\r\n\u0080-\uffff]$/.test(delimiter)) throw new TypeError(`${excerpt(delimiter)} cannot separate cells`);
  const [known, numbers] = [new Set(columns), new Set(integers)];
  const toText = formulas === "guarded" ? unguardFormula : (text: string) => text;
  const toValue = ({ name }: CsvColumn, text: string): unknown => (numbers.has(name) ? toInteger(text) : toText(text));
  return {
    mediaTypes: ["text/csv"],
    charsets: ["utf-8"],
    async *decode(pieces, { mediaType, lenient }) {
      if (mediaType.parameters.get("header")?.toLowerCase() === "absent") {
        throw new ContentError("The Content-Type says header=absent, but a header must name the columns");
      }
      let header: { readonly members: CsvMembers; readonly length: number; readonly isQuoted: boolean } | undefined;
      for await (const { line, cells, fault } of readCsvRecords(pieces, delimiter)) {
        if (header === undefined) {
          if (cells === undefined) throw new ContentError(`The header ${fault}`, { line, column: 1 });
          const members = readCsvHeader(cells, toColumn, lenient ? undefined : known, line);
          header = { members, length: cells.length, isQuoted: cells.some(({ isQuoted }) => isQuoted) };
        } else if (cells === undefined) {
          yield { line, issues: [{ message: fault }] };
        } else if (cells.length !== header.length) {
          yield { line, issues: [{ message: `has ${counted(cells.length)}; the header has ${header.length}` }] };
        } else {
          const isAbsent = ({ text, isQuoted }: CsvCell) => text === "" && (!isQuoted || header?.isQuoted === true);
          yield { line, value: toObject(header.members, cells, isAbsent, toValue) ?? {} };
        }
      }
      if (header === undefined) {
        throw new ContentError("The content has no header to name the columns", { line: 1, column: 1 });
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

const counted = (cells: number): string => (cells === 1 ? "1 cell" : `${cells} cells`);

/** The members that the columns of a file stand for, by the order in which they first occur. */
type CsvMembers = ReadonlyMap<string, CsvColumn | CsvMembers>;

interface CsvColumn {
  readonly name: string;
  /** From 0. */
  readonly index: number;
}

/**
 * The members that a header names: `address.postalCode` is one of an object.
 *
 * @param known the columns that there may be; undefined for any
 * @throws ContentError when a column has no name, is named twice or is not known; and when a name is longer than 255
 *   characters or deeper than 64 levels, or there are more than 1,000 members, the objects counted
 */
function readCsvHeader(
  cells: readonly CsvCell[],
  toColumn: (name: string) => string | undefined,
  known: ReadonlySet<string> | undefined,
  line: number,
): CsvMembers {
  const refuse = (detail: string): never => {
    throw new ContentError(detail, { line, column: 1 });
  };
  const nameless = cells.findIndex(({ text }) => text === "") + 1;
  if (nameless > 0) refuse(`The header does not name column ${nameless}: each column takes the name of a member`);
  const columns = cells
    .map(({ text }, index) => ({ name: toColumn(text), index }))
    .filter((column): column is CsvColumn => column.name !== undefined);
  const names = columns.map(({ name }) => name);
  const seen = new Set<string>();
  const repeated = names.find((name) => seen.size === seen.add(name).size);
  if (repeated !== undefined) refuse(`The header names the column ${excerpt(repeated)} twice`);
  const unknown = known === undefined ? [] : names.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const told = unknown.slice(0, mostTold).map(excerpt).join(", ") + (unknown.length > mostTold ? ", …" : "");
    const separated = names.length === 1 && /[;\t|]/.test(names[0] ?? "") ? "; commas separate them" : "";
    refuse(
      `The header names columns that are not known: ${told}; there are ${[...(known ?? [])].join(", ")}${separated}`,
    );
  }
  const long = names.find((name) => name.length > longestName);
  if (long !== undefined) refuse(`The header names the column ${excerpt(long)}, longer than ${longestName} characters`);

  const members: MutableMembers = new Map();
  let count = 0;
  for (const column of columns) {
    const { name } = column;
    const path = name.split(".");
    if (path.length > deepest)
      refuse(`The header names a member ${path.length} levels deep; at most ${deepest} are allowed`);
    const added = place(members, path, column);
    if (added === undefined) refuse(`The header names ${excerpt(name)} both as a value and as an object with members`);
    else count += added;
    if (count > mostMembers)
      refuse(`The header names more than ${mostMembers} members, the objects they are in counted`);
  }
  return members;
}

/** The most columns of a file, in a header or a row. */
const mostColumns = 1_000;

type MutableMembers = Map<string, CsvColumn | MutableMembers>;

/** How many members it makes, the objects that it is in counted; undefined when there is no room for it. */
function place(members: MutableMembers, path: readonly string[], column: CsvColumn): number | undefined {
  let inner = members;
  let added = 1;
  for (const name of path.slice(0, -1)) {
    let next = inner.get(name);
    if (next === undefined) {
      next = new Map();
      inner.set(name, next);
      added++;
    }
    if (!(next instanceof Map)) return undefined;
    inner = next;
  }
  const last = path.at(-1) ?? "";
  if (inner.has(last)) return undefined;
  inner.set(last, column);
  return added;
}

/** Each row is an object of them: what a row costs is bounded with them. */
const mostMembers = mostColumns;

/** In levels, as many as JSON may have. */
const deepest = 64;

/** In characters. */
const longestName = 255;

/** Of names that are not known. */
const mostTold = 10;

/** A record of CSV (RFC 4180), and the line on which it begins. */
type CsvRecord =
  | { readonly line: number; readonly cells: readonly CsvCell[]; readonly fault?: undefined }
  /** What is wrong with its quotation marks, or with the number of its cells. */
  | { readonly line: number; readonly cells?: undefined; readonly fault: string };

interface CsvCell {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * The records of CSV, a header among them, each as soon as it is complete. Lines that are blank are left out, and so is a byte
 * order mark. Each byte is looked at once here, whatever it is, and once more where its record is parsed.
 *
 * @throws ContentError where the content is not UTF-8, where a record has no end: it is longer than 1 MiB, or a quotation
 *   mark in it is never closed; and where there are more than 1,000,000 blank lines
 */
async function* readCsvRecords(
  pieces: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<CsvRecord, void, undefined> {
  const separator = delimiter.charCodeAt(0);
  const held = new GatheredBytes();
  const blankLines = new BlankLines();
  /** The line on which the record begins, and that of the next byte. */
  let [line, nextLine] = [1, 1];
  let separators = 0;
  let isOpen = false;
  const release = (last: Uint8Array, isEnded: boolean): CsvRecord | undefined => {
    const whole = held.take(last);
    const bytes = isEnded && whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    if (bytes.length > longestRecord) throw tooLong(line);
    const record = toRecord(bytes, line, separators + 1, delimiter);
    if (record === undefined) blankLines.count(line);
    line = nextLine;
    separators = 0;
    return record;
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      // Within a cell a quotation mark is doubled: while their number is odd, one is open.
      if (byte === quotationMark) isOpen = !isOpen;
      else if (byte === separator) separators += isOpen ? 0 : 1;
      else if (byte === lineFeed) {
        nextLine++;
        if (isOpen) continue;
        const record = release(piece.subarray(start, at), true);
        if (record !== undefined) yield record;
        start = at + 1;
      }
    }
    held.add(piece.subarray(start));
    if (held.length > longestRecord + 1) throw tooLong(line);
  }
  if (isOpen) throw new ContentError("A quotation mark of this record is never closed", { line, column: 1 });
  const record = held.length === 0 ? undefined : release(new Uint8Array(0), false);
  if (record !== undefined) yield record;
}

/** Undefined for a line that is blank. */
function toRecord(bytes: Uint8Array, line: number, count: number, delimiter: string): CsvRecord | undefined {
  if (bytes.length === 0) return undefined;
  const text = decodeRecord(bytes, line);
  if (text.trim() === "" && !text.includes(delimiter)) return undefined;
  // Parsed, a record of 1 MiB could be as many cells.
  if (count > mostColumns) return { line, fault: `has ${count} cells; at most ${mostColumns} are allowed` };
  // Without a quotation mark every delimiter separates; this takes a tenth of the parser's time.
  if (!text.includes('"')) return { line, cells: text.split(delimiter).map(toUnquoted) };
  try {
    const rows: readonly unknown[] = parse(text, { ...syntax, delimiter });
    return { line, cells: rows[0] as readonly CsvCell[] }; // the record is one row, and `cast` makes its cells
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { line, fault: misquoted }; // the error's message repeats the content, and counts lines from the beginning of the record
  }
}

const toUnquoted = (text: string): CsvCell => ({ text, isQuoted: false });

/** One record at a time: 14 µs where a thousand of 16 cells together take 6 each (Node 26), for the sake of its line. */
const syntax = {
  record_delimiter: ["\r\n", "\n"],
  cast: (text: string, { quoting }: { readonly quoting: boolean }): CsvCell => ({ text, isQuoted: quoting }),
};

function decodeRecord(bytes: Uint8Array, line: number): string {
  try {
    const text = decodeUtf8(bytes);
    return line === 1 && text.startsWith("\ufeff") ? text.slice(1) : text;
  } catch (cause) {
    const [upToFault = ""] = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\ufffd", 1);
    const lines = upToFault.split("\n");
    const position = { line: line + lines.length - 1, column: Array.from(lines.at(-1) ?? "").length + 1 };
    throw new ContentError("The content is not UTF-8: it has bytes that make no character", position, { cause });
  }
}

function tooLong(line: number): ContentError {
  const detail = `A record is longer than ${longestRecord} bytes; perhaps a quotation mark of it is never closed`;
  return new ContentError(detail, { line, column: 1 });
}

const misquoted =
  'has a quotation mark in the wrong place: a cell that has one is in quotation marks, and each in it is doubled, as in "5"" pipe"';

const quotationMark = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
