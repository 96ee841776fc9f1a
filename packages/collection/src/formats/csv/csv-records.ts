import { ContentError, decodeUtf8 } from "waymark/content";
import { GatheredBytes } from "../gathered-bytes.ts";
import { BlankLines } from "../lines.ts";
import { longestRecord } from "../list-decoder.ts";

/** A record of CSV (RFC 4180), and the line on which it begins. */
export type CsvRecord =
  | {
      readonly line: number;
      /** Without the quotation marks around them. */
      readonly cells: readonly string[];
      /** Which cells are quoted; undefined where none is. */
      readonly quoted: readonly boolean[] | undefined;
      readonly fault?: undefined;
    }
  /** Its quotation marks are misplaced, or it has too many cells. */
  | { readonly line: number; readonly cells?: undefined; readonly quoted?: undefined; readonly fault: string };

/**
 * Reads the records of CSV, the header included, and yields each as soon as it is complete. Skips blank lines and a byte order
 * mark.
 *
 * @throws ContentError when the content is not UTF-8; when a record is longer than 1 MiB or has a quotation mark that is never
 *   closed; and when there are more than 1,000,000 blank lines
 */
export async function* readCsvRecords(
  pieces: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<CsvRecord, void, undefined> {
  const held = new GatheredBytes(longestRecord + 1);
  const blankLines = new BlankLines();
  /** The line on which the record begins, and the line of the next byte. */
  let [line, nextLine] = [1, 1];
  let isOpen = false;
  const release = (last: Uint8Array, isEnded: boolean): CsvRecord | undefined => {
    const whole = held.take(last);
    const bytes = isEnded && whole?.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
    if (bytes === undefined || bytes.length > longestRecord) throw tooLong(line);
    const record = toRecord(bytes, line, delimiter);
    if (record === undefined) blankLines.count(line);
    line = nextLine;
    return record;
  };
  for await (const piece of pieces) {
    let start = 0;
    let mark = nextOf(piece, quotationMark, 0);
    for (let at = 0; at < piece.length; ) {
      const end = nextOf(piece, lineFeed, at);
      // A quotation mark inside a cell is doubled: a cell is open while the number of marks is odd.
      if (mark < end) {
        for (let i = mark; i < end; i++) if (piece[i] === quotationMark) isOpen = !isOpen;
        mark = nextOf(piece, quotationMark, end);
      }
      at = end + 1;
      if (end === piece.length) break;
      nextLine++;
      if (isOpen) continue;
      const record = release(piece.subarray(start, end), true);
      if (record !== undefined) yield record;
      start = at;
    }
    held.add(piece.subarray(start));
    if (held.length > longestRecord + 1) throw tooLong(line);
  }
  if (isOpen) throw new ContentError("A quotation mark of this record is never closed", { line, column: 1 });
  const record = held.length === 0 ? undefined : release(new Uint8Array(0), false);
  if (record !== undefined) yield record;
}

/** Returns where a byte is from some place on, or the length without one: 20 times as fast as a loop over the bytes. */
function nextOf(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
}

/** Returns undefined for a blank line. */
function toRecord(bytes: Uint8Array, line: number, delimiter: string): CsvRecord | undefined {
  if (bytes.length === 0) return undefined;
  const text = decodeRecord(bytes, line);
  if (text.trim() === "" && !text.includes(delimiter)) return undefined;
  // A record of 1 MiB may be a million cells: count them before they are made.
  const count = bytes.length < mostColumns ? 1 : countCells(bytes, delimiter.charCodeAt(0));
  if (count > mostColumns) return { line, fault: `has ${count} cells; at most ${mostColumns} are allowed` };
  if (!text.includes('"')) return { line, cells: text.split(delimiter), quoted: undefined };
  const split = splitQuoted(text, delimiter);
  return split === undefined ? { line, fault: misquoted } : { line, ...split };
}

function countCells(bytes: Uint8Array, separator: number): number {
  let count = 1;
  let isOpen = false;
  for (const byte of bytes) {
    if (byte === quotationMark) isOpen = !isOpen;
    else if (byte === separator && !isOpen) count++;
  }
  return count;
}

/**
 * Splits a record that has quotation marks; undefined when one is in the wrong place. By hand: csv-parse takes ten times as long
 * for a record, and 30 ms for a cell of 1 MiB, during which no other request is served (Node 26).
 */
function splitQuoted(
  text: string,
  delimiter: string,
): { readonly cells: readonly string[]; readonly quoted: readonly boolean[] } | undefined {
  const cells: string[] = [];
  const quoted: boolean[] = [];
  for (let at = 0; ; ) {
    const isQuoted = text.charCodeAt(at) === quotationMark;
    const end = isQuoted ? closingMark(text, at + 1) + 1 : text.indexOf(delimiter, at);
    const isLast = isQuoted ? end === text.length : end < 0;
    const cell = isLast ? text.slice(at) : text.slice(at, end);
    if (isQuoted) {
      // Also where the mark is never closed.
      if (!isLast && text.charAt(end) !== delimiter) return undefined;
      cells.push(withoutDoubles(cell.slice(1, -1)));
    } else {
      if (cell.includes('"')) return undefined;
      cells.push(cell);
    }
    quoted.push(isQuoted);
    if (isLast) return { cells, quoted };
    at = end + 1;
  }
}

/** Returns the index of the first quotation mark that is not doubled; the end of the text without one. */
function closingMark(text: string, start: number): number {
  let at = start;
  insideOfMarks.lastIndex = at;
  while (insideOfMarks.test(text)) at = insideOfMarks.lastIndex;
  return at;
}

const insideOfMarks = /(?:[^"]+|""){1,512}/y;

/** Makes one mark of two. By hand: `replaceAll` takes ten times as long for 1 MiB of marks. */
function withoutDoubles(text: string): string {
  if (!text.includes('"')) return text;
  const copy: Copy = { units: new Uint16Array(text.length), length: 0, at: 0 };
  while (copy.at < text.length) copyPart(text, copy);
  return Buffer.from(copy.units.buffer, 0, 2 * copy.length).toString("utf16le");
}

interface Copy {
  readonly units: Uint16Array;
  length: number;
  /** How far the text has been copied. */
  at: number;
}

/** Many short loops, since a function is compiled sooner than a long loop in it. */
function copyPart(text: string, copy: Copy): void {
  const end = Math.min(copy.at + 1024, text.length);
  for (; copy.at < end; copy.at++) {
    const unit = text.charCodeAt(copy.at);
    copy.units[copy.length++] = unit;
    if (unit === quotationMark) copy.at++;
  }
}

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

/** The most cells of a header or a row. */
const mostColumns = 1_000;

const quotationMark = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
