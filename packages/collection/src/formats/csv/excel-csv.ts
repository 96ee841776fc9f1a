import { preferredLanguages } from "waymark/fields";
import { requireOptions } from "waymark/internal";
import type { ListRepresentation } from "../../representation.ts";
import { beginsFormula, type CsvRepresentationOptions, csvSyntax, guardFormula, unguardFormula } from "./csv.ts";

/** The options of `excelCsvRepresentation`. */
export interface ExcelCsvRepresentationOptions extends Pick<CsvRepresentationOptions, "columns"> {
  /** The columns with dates as `YYYY-MM-DD` that Excel is to read as dates. Default: none; they stay text. */
  readonly dates?: readonly string[];
}

/**
 * Sends a list as the CSV that Excel opens by a double click, with each text as it is: a byte order mark, the list separator of the
 * language of `Accept-Language`, and what Excel would read as a number, a date or a formula as the constant `="+44 20 7946 0000"`. A
 * formula has an apostrophe before it, as in `csvRepresentation`. `csvDecoder` reads all of it back.
 *
 * ```ts
 * excelCsvRepresentation({ columns: ["id", "name", "telephone", "birthDate"], dates: ["birthDate"] })
 * // id;name;telephone;birthDate
 * // 7;Lovelace, Ada;"=""+44 20 7946 0000""";1815-12-10
 * ```
 */
export function excelCsvRepresentation(options: ExcelCsvRepresentationOptions): ListRepresentation {
  requireOptions("excelCsvRepresentation({ … })", options, { columns: "array", dates: "array" });
  const { columns, dates = [] } = options;
  const toCell = (value: unknown, column: string): string => {
    if (typeof value !== "string") return toNumber(JSON.stringify(value));
    return dates.includes(column) && isoDate.test(value) ? value : toText(value);
  };
  return {
    name: "excel",
    extension: "csv",
    mediaType: "text/csv;dialect=excel",
    contentType: "text/csv; charset=utf-8; header=present; dialect=excel",
    members: [...columns, ...dates],
    reads: { "Accept-Language": "The language of the Excel that opens `format=excel`, whose list separator it gets." },
    variant: ({ headers }) => separatorNames[listSeparator(headers.get("Accept-Language"))],
    list: ({ request, fields = columns }) => {
      const delimiter = listSeparator(request.headers.get("Accept-Language"));
      const syntax = csvSyntax({ columns, fields, delimiter, toCell });
      return { ...syntax, before: `\ufeff${syntax.before}` };
    },
  };
}

const isoDate = /^\d{4}-\d\d-\d\d$/;

/** Excel shows and saves a number of more digits as 1.23E+11, and reads `1.5` as a date where the comma is decimal. */
const toNumber = (text: string): string => (/^-?\d{1,11}$/.test(text) ? text : toConstant(text));

function toText(text: string): string {
  const guarded = guardFormula(text);
  if (text.length > longestConstant) return guarded;
  // A constant has no formula within it that an apostrophe would have to stand before; one that stands there would go when it is read.
  const needsConstant = beginsFormula(text) ? number.test(text) : guarded !== text || isReadOtherwise(text);
  return needsConstant && unguardFormula(text) === text ? toConstant(text) : guarded;
}

/** A number or a telephone number. Nothing else may stand in a constant that Excel could later save as a formula. */
const number = /^[+-](?:[\d\s+\-.,()/#;]|x|;ext=|ext(?:ension)?)*$/i;

/** Returns whether Excel may read a text, in any language, as a number, a date, a time or a truth value. */
function isReadOtherwise(text: string): boolean {
  if (truthValue.test(text)) return true;
  const words = text.match(/\p{L}+/gu)?.length ?? 0;
  // `1 de enero de 2020` and `Jan 5`.
  return /\d/.test(text) && words <= (/^\s*\d/.test(text) ? 3 : 1);
}

const truthValue = /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso)$/i;

const toConstant = (text: string): string => `="${text.replaceAll('"', '""')}"`;

/** In characters: the longest text in a formula. */
const longestConstant = 255;

const separatorNames = { ",": "commas", ";": "semicolons" } as const;

/**
 * Returns the list separator of Windows for the language that an Accept-Language field prefers: a semicolon where the comma is decimal,
 * else a comma, as without a language.
 *
 * ```ts
 * listSeparator("de-DE,en;q=0.8"); // ";"
 * listSeparator("en-GB");          // ","
 * ```
 */
export function listSeparator(acceptLanguage: string | undefined): "," | ";" {
  const [language = ""] = preferredLanguages(acceptLanguage);
  return withSemicolons.test(language) || hasDecimalComma(language) ? ";" : ",";
}

/** Languages and countries in which the point is decimal, and that separate by semicolons all the same. */
const withSemicolons = /^(?:ar|fa)(?:-|$)|-(?:CH|LI)$/i;

function hasDecimalComma(language: string): boolean {
  try {
    return language !== "" && new Intl.NumberFormat(language).format(1.5).includes(",");
  } catch (error) {
    if (error instanceof RangeError) return false; // not a language
    throw error;
  }
}
