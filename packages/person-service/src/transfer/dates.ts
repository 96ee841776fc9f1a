import { wording } from "waymark/internal";
import { looseKey } from "../person/members/loose-key.ts";

/** Reads dates of one form. */
export interface DateReader {
  /** As messages name it: `D.M.YY`. */
  readonly form: string;
  /** A date of the form. */
  readonly example: string;
  /** Returns the date as `YYYY-MM-DD`; undefined where the text is not of the form. */
  read(text: string): string | undefined;
}

/**
 * Makes a reader of dates of a form: D or DD, M or MM or, for the name of a month, MMM, and YYYY or YY, in capital or small letters,
 * with other signs between them. Two digits are the latest year that is not in the future.
 *
 * ```ts
 * dateReader("DD.MM.YYYY").read("10.12.1815"); // "1815-12-10"
 * dateReader("d-mmm-yy").read("10-Dec-90"); // "1990-12-10"
 * ```
 *
 * @throws RangeError when the form does not have each of the three once
 */
export function dateReader(text: string, now: () => Date = () => new Date()): DateReader {
  const form = text.toUpperCase();
  const parts = form.match(/D+|M+|Y+|[^DMY]+/g) ?? [];
  const kinds = parts.flatMap((part) => (isKind.test(part) ? [part.slice(0, 1)] : []));
  const others = parts.filter((part) => !isKind.test(part));
  const isOther = kinds.toSorted().join("") !== "DMY" || others.some((part) => /[\p{L}\p{N}]/u.test(part));
  if (isOther || form.length > longestForm) {
    // Also the letters of other languages: TT.MM.JJJJ.
    const nearest = wording.nearestName(form.replaceAll("T", "D").replaceAll("J", "Y"), commonForms);
    throw new RangeError(
      `must be like DD.MM.YYYY or M/D/YYYY, not ${wording.excerpt(text)}${wording.orNearest(nearest)}`,
    );
  }
  const isApart = others.length > 0 || /MMM/.test(form);
  const pattern = parts.map((part) => {
    const group = groups[part] ?? groups[part.slice(0, 1)];
    if (group === undefined || others.includes(part)) return RegExp.escape(part);
    return isApart ? group : group.replace("{1,2}", "{2}");
  });
  const expression = new RegExp(`^${pattern.join("")}$`, "u");
  return {
    form,
    example: parts.map((part) => examples[part] ?? part).join(""),
    read(date) {
      const { D = "", M = "", Y = "" } = expression.exec(date)?.groups ?? {};
      const month = /^\d/.test(M) ? M.padStart(2, "0") : monthOf(M);
      if (month === undefined || D === "") return undefined;
      const rest = `-${month}-${D.padStart(2, "0")}`;
      return Y.length === 2 ? latestPast(Y, rest, now()) : `${Y}${rest}`;
    },
  };
}

/** In characters: it becomes a regular expression. */
const longestForm = 64;

const isKind = /^(?:DD?|M{1,4}|YY|YYYY)$/;

const groups: Readonly<Record<string, string>> = {
  D: "(?<D>\\d{1,2})",
  M: "(?<M>\\d{1,2})",
  MMM: "(?<M>\\p{L}+\\.?)",
  MMMM: "(?<M>\\p{L}+\\.?)",
  YY: "(?<Y>\\d{2})",
  YYYY: "(?<Y>\\d{4})",
};

const examples: Readonly<Record<string, string>> = {
  D: "10",
  DD: "10",
  M: "12",
  MM: "12",
  MMM: "Dec",
  MMMM: "December",
  YY: "90",
  YYYY: "1990",
};

function latestPast(year: string, rest: string, now: Date): string {
  const century = Math.floor(now.getUTCFullYear() / 100);
  const date = `${century}${year}${rest}`;
  return date <= now.toISOString().slice(0, 10) ? date : `${century - 1}${year}${rest}`;
}

/** The forms that are suggested. */
const commonForms: readonly string[] = [
  ...["D.M.YYYY", "DD.MM.YYYY", "M/D/YYYY", "MM/DD/YYYY", "D/M/YYYY", "DD/MM/YYYY", "D-M-YYYY", "DD-MM-YYYY"],
  ...["YYYY/M/D", "YYYY/MM/DD", "YYYY.M.D", "YYYYMMDD", "YYYY-M-D", "YYYY-MM-DD"],
  ...["D.M.YY", "M/D/YY", "D/M/YY", "D-M-YY"],
  ...["D MMM YYYY", "D-MMM-YYYY", "D. MMM YYYY", "MMM D, YYYY", "D MMM YY", "D-MMM-YY"],
];

/** Finds the forms of which dates of a file may be: those in which each can be read, other than the one that it was read by. */
export class DateForms {
  #readers: readonly DateReader[] = commonForms
    .filter((form) => !/DD|(?<!M)MM(?!M)/.test(form) || form === "YYYYMMDD") // the others read these as well
    .map((form) => dateReader(form));
  /** The first date. */
  example: string | undefined;

  /** Adds a date that could not be read. */
  add(text: string): void {
    this.example ??= text;
    this.#readers = this.#readers.filter((reader) => !Number.isNaN(Date.parse(reader.read(text) ?? "")));
  }

  /** The forms, at most two; empty where there was no date. */
  get found(): readonly string[] {
    return this.example === undefined ? [] : this.#readers.slice(0, 2).map(({ form }) => form);
  }
}

/** Whether a text is what programs write where there is no date: `0/0/00` of Outlook. */
export const isNoDate = (text: string): boolean => /^0{1,4}[-./]0{1,2}[-./]0{1,4}$/.test(text.trim());

/** Returns a date as it stands in a cell, without the midnight that spreadsheets and databases write behind it. */
export const withoutMidnight = (text: string): string =>
  text.trim().replace(/(?<=\d)(?:[T ]00?:00(?::00(?:\.0+)?)?Z?| 12:00(?::00)? AM)$/, "");

/** Dates as they are stored. */
export const isoDates: DateReader = dateReader("YYYY-MM-DD");

/** Returns the number of a month, `01` to `12`, that is named in one of several languages, in full or in short; undefined for other text. */
function monthOf(name: string): string | undefined {
  months ??= new Map(namesOfMonths());
  return months.get(looseKey(name));
}

/** Gathered at the first question. */
let months: ReadonlyMap<string, string> | undefined;

const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr"];

/** What people write that is no name of the Unicode project. */
const usualNames = [
  ["sept", "09"],
  ["maerz", "03"],
  ["mrz", "03"],
] as const;

/** Of a name that means two months, the first language decides, and before it the usual names: a later pair takes the place of an earlier one. */
function* namesOfMonths(): Generator<readonly [name: string, month: string], void, undefined> {
  for (const language of languages.toReversed()) {
    for (const month of ["short", "long"] as const) {
      // Within a date, some languages have another form of the name.
      for (const others of [{ day: "numeric" }, {}] as const) {
        const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC", ...others });
        for (let number = 12; number >= 1; number--) {
          const name = format.formatToParts(Date.UTC(2000, number - 1, 1)).find(({ type }) => type === "month")?.value;
          const key = looseKey(name ?? "");
          if (key !== "") yield [key, String(number).padStart(2, "0")];
        }
      }
    }
  }
  yield* usualNames;
}
