import { stringify } from "csv-stringify/sync";
import { valueAlong } from "../member-value.ts";
import type { ListRepresentation } from "../representation.ts";

/** The options of `csvRepresentation`. */
export interface CsvRepresentationOptions {
  /** The members in the order of the columns; `address.postalCode` is a member of an object. Other members are not sent. */
  readonly columns: readonly string[];
  /**
   * How text is sent that a spreadsheet would run as a formula: `guarded` (default) puts an apostrophe before it, which
   * `unguardFormula` removes; `as-is` is for files that only programs read.
   */
  readonly formulas?: "guarded" | "as-is";
}

/**
 * Sends a list as `text/csv` (RFC 4180): a header, then a row for each record, with CRLF. A cell with a comma, a
 * quotation mark or a line end is quoted. An absent member is an empty cell, an empty text is `""`, an array its JSON
 * text. Clients choose columns with `fields=`.
 *
 * ```ts
 * csvRepresentation({ columns: ["id", "name", "address.postalCode"] })
 * // id,name,address.postalCode
 * // 7,"Lovelace, Ada",W1
 * ```
 */
export function csvRepresentation({ columns, formulas = "guarded" }: CsvRepresentationOptions): ListRepresentation {
  const guard = formulas === "guarded" ? guardFormula : (text: string) => text;
  return {
    name: "csv",
    extension: "csv",
    mediaType: "text/csv",
    contentType: "text/csv; charset=utf-8; header=present",
    list: ({ fields = columns }) => {
      const chosen = [...new Set(fields.flatMap((field) => columnsOf(field, columns)))];
      const paths = chosen.map((column) => column.split("."));
      return {
        before: toRow(chosen),
        item: ({ json }) => {
          const record: unknown = JSON.parse(json);
          return toRow(paths.map((path) => toCell(valueAlong(record, path), guard)));
        },
      };
    },
  };
}

/** Returns the columns of a chosen member, which is a column or an object that has some. */
function columnsOf(field: string, columns: readonly string[]): readonly string[] {
  return columns.filter((column) => column === field || column.startsWith(`${field}.`));
}

const toRow = (cells: readonly (string | undefined)[]): string => stringify([cells], syntax);

const syntax = {
  record_delimiter: "\r\n",
  // Quotes cells with any line end, not only CRLF.
  quote_record_delimiter: true,
  // Quotes empty texts, so that they differ from absent members.
  quoted_match: /^$/,
};

/** Renders a value. A number needs no guard: a spreadsheet shows it as a number. */
function toCell(value: unknown, guard: (text: string) => string): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? guard(value) : JSON.stringify(value);
}

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula (CWE-1236): text that begins with `= + - @`, one of
 * these in full width, TAB, CR or LF. Also guards text with only apostrophes before such a character, so that `unguardFormula`
 * returns every text unchanged.
 *
 * ```ts
 * guardFormula("=1+1");      // "'=1+1"
 * guardFormula("'t Hooft");  // "'t Hooft"
 * ```
 */
function guardFormula(text: string): string {
  return /^'*[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
}

/**
 * Removes the apostrophe that guards a formula; returns other text unchanged.
 *
 * ```ts
 * unguardFormula("'+44 20 7946 0000");  // "+44 20 7946 0000"
 * unguardFormula("+44 20 7946 0000");   // "+44 20 7946 0000"
 * ```
 */
export function unguardFormula(cell: string): string {
  return /^'+[=+\-@＝＋－＠\t\r\n]/.test(cell) ? cell.slice(1) : cell;
}
