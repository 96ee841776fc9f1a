import { CsvError, parse } from "csv-parse/sync";
import { decodeUtf8, excerpt, MalformedContent } from "waymark";
import { toInteger } from "../member-value.ts";
import { unguardFormula } from "./csv.ts";
import { type ListDecoder, type ListedValue, longestRecord, readLines } from "./list-decoder.ts";

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
 * @throws MalformedContent when a column has no name, is named twice or is not known
 */
function readCsvHeader(cells: readonly CsvCell[], known: readonly string[] | undefined, line: number): CsvMembers {
  const refuse = (detail: string): never => {
    throw new MalformedContent(detail, { line, column: 1 });
  };
  const names = cells.map(({ text }) => text);
  const nameless = names.indexOf("") + 1;
  if (nameless > 0) refuse(`The header does not name column ${nameless}: each column takes the name of a member`);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) refuse(`The header names the column ${excerpt(repeated)} twice`);
  const unknown = known === undefined ? [] : names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const told = unknown.slice(0, mostTold).map(excerpt).join(", ") + (unknown.length > mostTold ? ", …" : "");
    const separated = names.length === 1 && /[;\t|]/.test(names[0] ?? "") ? "; commas separate them" : "";
    refuse(`The header names columns that are not known: ${told}; there are ${known?.join(", ")}${separated}`);
  }

  const members: MutableMembers = new Map();
  for (const [index, name] of names.entries()) {
    if (!place(members, name.split("."), { name, index })) {
      refuse(`The header names ${excerpt(name)} both as a value and as an object with members`);
    }
  }
  return members;
}

type MutableMembers = Map<string, CsvColumn | MutableMembers>;

/** Whether there was room for it. */
function place(members: MutableMembers, [first = "", ...others]: readonly string[], column: CsvColumn): boolean {
  const there = members.get(first);
  if (others.length === 0) {
    members.set(first, column);
    return there === undefined;
  }
  if (there !== undefined && !(there instanceof Map)) return false;
  const inner: MutableMembers = there ?? new Map();
  members.set(first, inner);
  return place(inner, others, column);
}

/** Of names that are not known. */
const mostTold = 10;

/** A record of CSV (RFC 4180), and the line on which it begins. */
interface CsvRecord {
  readonly line: number;
  /** Undefined when its quotation marks make no sense. */
  readonly cells: readonly CsvCell[] | undefined;
}

interface CsvCell {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * The records of CSV, a header among them, each as soon as it is complete. Lines that are blank are left out, and so is a byte
 * order mark.
 *
 * @throws MalformedContent where the content is not UTF-8, and where a record has no end: it is longer than 1 MiB, or a
 *   quotation mark in it is never closed
 */
async function* readCsvRecords(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord, void, undefined> {
  let line = 0;
  let record = "";
  let isOpen = false;
  for await (const { number, bytes, end } of readLines(pieces, longestRecord)) {
    if (!isOpen) {
      line = number;
      record = "";
    }
    if (bytes === undefined) throw tooLong(line);
    const text = decodeLine(bytes, number);
    if (!isOpen && text.trim() === "") continue;
    record += text;
    // Within a cell a quotation mark is doubled: while their number is odd, one is open.
    if (countQuotes(text) % 2 === 1) isOpen = !isOpen;
    if (!isOpen) yield { line, cells: toCells(record) };
    else if (record.length > longestRecord) throw tooLong(line);
    record += end;
  }
  if (isOpen) throw new MalformedContent("A quotation mark of this record is never closed", { line, column: 1 });
}

function toCells(record: string): readonly CsvCell[] | undefined {
  try {
    const rows: readonly unknown[] = parse(record, syntax);
    return rows[0] as readonly CsvCell[]; // the record is one row, and `cast` makes its cells
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return undefined; // its message repeats the content, and counts lines from the beginning of the record
  }
}

/** One record at a time: 14 µs where a thousand of 16 cells together take 6 each (Node 26), for the sake of its line. */
const syntax = {
  record_delimiter: ["\r\n", "\n"],
  cast: (text: string, { quoting }: { readonly quoting: boolean }): CsvCell => ({ text, isQuoted: quoting }),
};

function decodeLine(bytes: Uint8Array, line: number): string {
  try {
    const text = decodeUtf8(bytes);
    return line === 1 && text.startsWith("\ufeff") ? text.slice(1) : text;
  } catch (cause) {
    const upToFault = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\ufffd", 1).join();
    const position = { line, column: Array.from(upToFault).length + 1 };
    throw new MalformedContent("The content is not UTF-8: it has bytes that make no character", position, { cause });
  }
}

function countQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
}

function tooLong(line: number): MalformedContent {
  const detail = `A record is longer than ${longestRecord} bytes; perhaps a quotation mark of it is never closed`;
  return new MalformedContent(detail, { line, column: 1 });
}
