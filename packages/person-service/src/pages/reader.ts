import type { HttpRequest } from "waymark";
import { memoizeText } from "waymark/internal";
import type { Language } from "../person/languages.ts";
import { countryCodes } from "../person/rules.ts";
import { filled, type SafeHtml } from "./html.ts";
import { english } from "./words/english.ts";
import { french } from "./words/french.ts";
import { german } from "./words/german.ts";
import { spanish } from "./words/spanish.ts";
import type { Plural, Words } from "./words/words.ts";

const tables: Readonly<Record<Language, Words>> = { en: english, de: german, fr: french, es: spanish };

/** The reader of a page: the language that it is written in, and what depends on language and country. */
export class Reader {
  readonly language: Language;
  /** The language with the country where it is known: `en-GB`. */
  readonly locale: string;
  readonly words: Words;
  readonly #plurals: Intl.PluralRules;

  constructor(language: Language, country?: string) {
    this.language = language;
    this.locale = country === undefined ? language : `${language}-${country}`;
    this.words = tables[language];
    this.#plurals = new Intl.PluralRules(this.locale);
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

  /** The names of the countries, by their codes, in the order of the language. */
  get countries(): ReadonlyMap<string, string> {
    const known = countries.get(this.language) ?? namesOfCountries(this.language);
    countries.set(this.language, known);
    return known;
  }
}

/** By languages, each made for the first page that has some. */
const countries = new Map<Language, ReadonlyMap<string, string>>();

function namesOfCountries(language: Language): ReadonlyMap<string, string> {
  const display = new Intl.DisplayNames(language, { type: "region" });
  const names = Array.from(countryCodes, (code) => [code, display.of(code) ?? code] as const);
  const { compare } = new Intl.Collator(language);
  return new Map(names.toSorted(([, a], [, b]) => compare(a, b)));
}

/** Returns the reader with a language, or with a language and a country. */
export const readerFor: (locale: string) => Reader = memoizeText((locale) => {
  const [language, country] = locale.split("-");
  return new Reader(language as Language, country);
});

/** Returns the reader of the page that answers a request. */
export const readerOf = (_request: HttpRequest<unknown>): Reader => readerFor("en");
