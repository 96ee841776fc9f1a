import { locale } from "../words.ts";

const forms = new Intl.DateTimeFormat(locale, { year: "numeric", month: "2-digit", day: "2-digit", timeZone: "UTC" });
const medium = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const letters: Readonly<Record<string, string>> = { year: "YYYY", month: "MM", day: "DD" };

/** How dates are typed: `MM/DD/YYYY`. English of no country has no order: 10/12/1815 would be in October or in December. */
export const dateForm: string =
  locale === "en"
    ? "YYYY-MM-DD"
    : forms
        .formatToParts(0)
        .map(({ type, value }) => letters[type] ?? value)
        .join("");

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** A stored date as it is read, `Dec 10, 1815`, and as it is typed, `12/10/1815`; what is no date as it is. */
export const shownDate = (text: string): string =>
  isDate(text) && locale !== "en" ? medium.format(new Date(text)) : text;
export const typedDate = (text: string): string => {
  const [year = "", month = "", day = ""] = text.split("-");
  return isDate(text) ? dateForm.replace("YYYY", year).replace("MM", month).replace("DD", day) : text;
};

/** A stored time as it is read, where the reader is. */
export const shownTime = (text: string): string =>
  new Date(text).toLocaleString(locale === "en" ? "en-GB" : locale, { dateStyle: "medium", timeStyle: "short" });

/** Returns the date that somebody means, as it is stored: with points the day is first, with strokes the order is the reader's. */
export function dateIn(text: string): string {
  const plain = text.trim();
  const [, year, month, day] = /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})$/.exec(plain) ?? [];
  if (year !== undefined) return written(year, month, day) ?? plain;
  const [, one = "", sign, two = "", years] = /^(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d{4})$/.exec(plain) ?? [];
  if (years !== undefined) {
    const isDayFirst = sign === "." || dateForm.startsWith("DD") || Number(one) > 12;
    if (!isDayFirst && dateForm.startsWith("YYYY") && Number(two) <= 12) return plain;
    return (isDayFirst ? written(years, two, one) : written(years, one, two)) ?? plain;
  }
  return withMonth(plain) ?? plain;
}

function withMonth(text: string): string | undefined {
  const name = /\p{L}{3,}/u.exec(text.replaceAll(/\b(?:st|nd|rd|th|de|del|er)\b/g, " "))?.[0].toLowerCase();
  const [first = "", second = ""] = text.match(/\d+/g) ?? [];
  if (name === undefined || first === "" || second === "") return undefined;
  const month = months().findIndex((each) => each.startsWith(name) || name.startsWith(each));
  return month < 0
    ? undefined
    : written(second.length === 4 ? second : first, `${(month % 12) + 1}`, second.length === 4 ? first : second);
}

/** The names of the months in the reader's language and in English. */
const months = (): readonly string[] =>
  [locale, "en"].flatMap((each) =>
    Array.from({ length: 12 }, (_, i) =>
      new Date(Date.UTC(2000, i)).toLocaleString(each, { month: "long", timeZone: "UTC" }).toLowerCase(),
    ),
  );

function written(year = "", month = "", day = ""): string | undefined {
  const text = `${year.padStart(4, "0")}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDate(text) ? text : undefined;
}
