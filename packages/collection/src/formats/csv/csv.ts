import { requireOptions } from "waymark/internal";
import { membersOf } from "../../lists/fields.ts";
import { valueAlong } from "../../members/value.ts";
import type { ListRepresentation, ListSyntax } from "../../representation.ts";
import { toListCell } from "./list-cell.ts";

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
 * quotation mark or a line end is quoted. An absent member is an empty cell, an empty text is `""`, a list of texts these with `; `
 * between them, and any other list its JSON text. Clients choose columns with `fields=`.
 *
 * ```ts
 * csvRepresentation({ columns: ["id", "name", "address.postalCode"] })
 * // id,name,address.postalCode
 * // 7,"Lovelace, Ada",W1
 * ```
 */
export function csvRepresentation(options: CsvRepresentationOptions): ListRepresentation {
  requireOptions("csvRepresentation({ … })", options, { columns: "array", formulas: "string" });
  const { columns, formulas } = options;
  const guard = formulas === "as-is" ? (text: string) => text : guardFormula;
  const toCell = (value: unknown): string => (typeof value === "string" ? guard(value) : JSON.stringify(value));
  return {
    name: "csv",
    extension: "csv",
    mediaType: "text/csv",
    contentType: "text/csv; charset=utf-8; header=present",
    members: columns,
    list: ({ fields = columns }) => csvSyntax({ columns, fields, delimiter: ",", toCell }),
  };
}

/** What a table of CSV is made of. */
export interface CsvTable {
  /** The members that can be columns, in order. */
  readonly columns: readonly string[];
  /** Those that were chosen, each a column or an object that has some. */
  readonly fields: readonly string[];
  readonly delimiter: string;
  /** Renders a value that is there. */
  readonly toCell: (value: unknown, column: string) => string;
}

/**
 * Returns how records become a table with a header. Rows are made by hand, since csv-stringify takes six times as long. An empty text
 * is quoted, so that it differs from an absent member.
 */
export function csvSyntax({ columns, fields, delimiter, toCell }: CsvTable): ListSyntax & { readonly before: string } {
  const chosen = [...new Set(fields.flatMap((field) => membersOf(field, columns)))];
  const paths = chosen.map((column) => column.split("."));
  const quotes = new RegExp(`["\\r\\n${RegExp.escape(delimiter)}]|^$`);
  const quoted = (cell: string): string => (quotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const toRow = (cells: readonly (string | undefined)[]): string =>
    `${cells.map((cell) => (cell === undefined ? "" : quoted(cell))).join(delimiter)}\r\n`;
  return {
    before: toRow(chosen),
    item: ({ json }) => {
      const record: unknown = JSON.parse(json);
      return toRow(
        chosen.map((column, i) => {
          const value = valueAlong(record, paths[i] ?? []) ?? undefined;
          if (value === undefined) return undefined;
          return toCell(Array.isArray(value) ? toListCell(value) : value, column);
        }),
      );
    },
  };
}

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula (CWE-1236): text that begins with `= + - @`, one of
 * these in full width, TAB, CR or LF. Within text it guards what would begin a cell for a spreadsheet that separates by semicolons, as
 * in most of Europe, or by TABs: for these, quotation marks that stand behind a comma hold nothing together. Also guards text with
 * only apostrophes before such a character, so that `unguardFormula` returns every text unchanged.
 *
 * ```ts
 * guardFormula("=1+1");      // "'=1+1"
 * guardFormula("x;=1+1");    // "x;'=1+1"
 * guardFormula("'t Hooft");  // "'t Hooft"
 * ```
 */
export function guardFormula(text: string): string {
  const guarded = beginsFormula(text) ? `'${text}` : text;
  return separators.test(text) ? guarded.replace(formulaBehindSeparator, "$1'$2") : guarded;
}

/** Returns whether a spreadsheet would run a text as a formula, or would if some apostrophes were not before it. */
export const beginsFormula = (text: string): boolean => /^'*[=+\-@＝＋－＠\t\r\n]/.test(text);

const separators = /[;\t\r\n]/;

/** `;-)` is not a formula. */
const formulaBehindSeparator = /([;\t\r\n])('*(?:[=@＝＠]|[+\-＋－](?!\))))/g;
const guardBehindSeparator = /([;\t\r\n])'('*(?:[=@＝＠]|[+\-＋－](?!\))))/g;

/**
 * Removes what keeps a spreadsheet from reading a text as something else: apostrophes before formulas, or the formula `="…"` around
 * the text, of at most 1,024 characters. Returns other text unchanged.
 *
 * ```ts
 * unguardFormula("'=1+1");                   // "=1+1"
 * unguardFormula('="+44 20 7946 0000"');     // "+44 20 7946 0000"
 * unguardFormula("+44 20 7946 0000");        // "+44 20 7946 0000"
 * ```
 */
export function unguardFormula(cell: string): string {
  const isSeparated = separators.test(cell);
  if (!isSeparated && !/^['=]/.test(cell)) return cell;
  const [, text] = (cell.length <= longestLiteral && /^="((?:[^"]|"")*)"$/.exec(cell)) || [];
  if (text !== undefined) return text.replaceAll('""', '"');
  const begun = cell.startsWith("'") && beginsFormula(cell) ? cell.slice(1) : cell;
  return isSeparated ? begun.replace(guardBehindSeparator, "$1$2") : begun;
}

/** In characters: more than a text of a formula in Excel can have. */
const longestLiteral = 1_024;
