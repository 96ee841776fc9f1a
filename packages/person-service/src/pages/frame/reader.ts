import type { HttpRequest } from "waymark";
import { preferredLanguages } from "waymark/fields";
import { memoizeText } from "waymark/internal";
import { countryCodes } from "../../person/countries.ts";
import { type Language, languages } from "../../person/languages.ts";
import { english } from "../words/english.ts";
import { french } from "../words/french.ts";
import { german } from "../words/german.ts";
import { spanish } from "../words/spanish.ts";
import type { Plural, Words } from "../words/words.ts";
import { filled, type SafeHtml } from "./html.ts";

const tables: Readonly<Record<Language, Words>> = { en: english, de: german, fr: french, es: spanish };

/** The reader of a page: the language that it is written in, and what depends on language and country. */
export class Reader {
  readonly language: Language;
  /** The language with the country where it is known: `en-GB`. */
  readonly locale: string;
  readonly words: Words;
  /** What is said of an e-mail or a telephone, by what is stored for it; and the other way round. */
  readonly wordsFor: ReadonlyMap<string, string>;
  readonly usesOf: ReadonlyMap<string, string>;
  readonly #plurals: Intl.PluralRules;
  readonly #dates: Intl.DateTimeFormat;
  /** How dates are typed: `MM/DD/YYYY`. */
  readonly dateForm: string;

  constructor(language: Language, country?: string) {
    this.language = language;
    this.locale = country === undefined ? language : `${language}-${country}`;
    this.words = tables[language];
    this.#plurals = new Intl.PluralRules(this.locale);
    this.#dates = new Intl.DateTimeFormat(this.locale, { dateStyle: "medium", timeZone: "UTC" });
    this.dateForm = dateFormOf(this.locale);
    this.wordsFor = new Map(Object.entries(this.words.contacts));
    this.usesOf = new Map(Array.from(this.wordsFor, ([use, word]) => [word, use]));
  }

  number(value: number): string {
    return value.toLocaleString(this.locale);
  }

  /**
   * Returns a text with a number in it.
   *
   * @param shown the number as it is shown, where that is not all of it
   */
  count(forms: Plural, value: number, shown: string = this.number(value)): SafeHtml {
    return filled(forms[this.#plurals.select(value)] ?? forms.other, { n: shown });
  }

  /** A date as text, `Dec 10, 1815`; what is no date as it is. */
  readonly date = (text: string): string =>
    this.locale === unknownOrder || !isDate(text) ? text : this.#dates.format(new Date(text));

  /** A time as text, in UTC. */
  time(text: string): string {
    if (this.locale === unknownOrder) return `${text.slice(0, 16).replace("T", " ")} UTC`;
    return `${new Date(text).toLocaleString(this.locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" })} UTC`;
  }

  /** A date as it is typed, `12/10/1815`; what is no date as it is. */
  readonly dateText = (text: string): string => {
    if (!isDate(text)) return text;
    const [year = "", month = "", day = ""] = text.split("-");
    return this.dateForm.replace("YYYY", year).replace("MM", month).replace("DD", day);
  };

  /** The names of the countries, by their codes, in the order of the language. */
  get countries(): ReadonlyMap<string, string> {
    return namesOfCountries(this.language);
  }
}

/** English of no country, as of a program or of a reader anywhere: 10/12/1815 would be in October or in December. */
const unknownOrder = "en";

function dateFormOf(locale: string): string {
  if (locale === unknownOrder) return "YYYY-MM-DD";
  const format = new Intl.DateTimeFormat(locale, { year: "numeric", month: "2-digit", day: "2-digit" });
  const parts: Readonly<Record<string, string>> = { year: "YYYY", month: "MM", day: "DD" };
  return Array.from(format.formatToParts(0), ({ type, value }) => parts[type] ?? value).join("");
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

const namesOfCountries = memoizeText((language): ReadonlyMap<string, string> => {
  const display = new Intl.DisplayNames(language, { type: "region" });
  const names = Array.from(countryCodes, (code) => [code, display.of(code) ?? code] as const);
  const { compare } = new Intl.Collator(language);
  return new Map(names.toSorted(([, a], [, b]) => compare(a, b)));
});

/** Returns the reader with a language, or with a language and a country. */
export const readerFor: (locale: string) => Reader = memoizeText((locale) => {
  const [language, country] = locale.split("-");
  return new Reader(language as Language, country);
});

/** Returns the reader of the page that answers a request: the language that was chosen on a page, else the preferred one that there is. */
export function readerOf({ headers, cookies }: HttpRequest<unknown>): Reader {
  const chosen = headers.has("Cookie") ? cookies.get(languageCookie) : undefined;
  return readerFor(localeOf(`${chosen ?? ""};${headers.get("Accept-Language") ?? ""}`));
}

/** Returns the reader that a form was written for. Default: the one who sends it. */
export const readerOfForm = (request: HttpRequest<unknown>, locale: string | null): Reader =>
  locale === null ? readerOf(request) : readerFor(localeOf(`;${locale}`));

/** The name of the cookie with the language that was chosen on a page, which says nothing else of anybody. */
export const languageCookie = "language";

/** Returns the language for what was chosen and accepted, with the country that is accepted with it, where it is one. */
const localeOf = memoizeText((text) => {
  const [chosen = ""] = text.split(";", 1);
  const due = languages.find((language) => language === chosen);
  for (const tag of preferredLanguages(text.slice(chosen.length + 1))) {
    const language = languages.find((each) => each === tag.slice(0, 2).toLowerCase() && /^..(?:-|$)/.test(tag));
    if (language === undefined || language !== (due ?? language)) continue;
    const country = tag.slice(-2).toUpperCase();
    return tag.at(-3) === "-" && countryCodes.has(country) ? `${language}-${country}` : language;
  }
  return due ?? "en";
});
