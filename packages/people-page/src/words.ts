import type { Children } from "./html.ts";
import type english from "./words/en.json";

/** Every text of the page but the labels of members, which the API has. */
export type Words = typeof english;

/** A text for each form that a language has for numbers. */
export type Plural = Readonly<Record<"one" | "other", string>> & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

/** The languages of the page, each with the name that it has in itself. */
export const languages = { en: "English", de: "Deutsch", fr: "Français", es: "Español" } as const;
export type Language = keyof typeof languages;

const files: Readonly<Record<Language, () => Promise<{ readonly default: Words }>>> = {
  en: () => import("./words/en.json", { with: { type: "json" } }),
  de: () => import("./words/de.json", { with: { type: "json" } }),
  fr: () => import("./words/fr.json", { with: { type: "json" } }),
  es: () => import("./words/es.json", { with: { type: "json" } }),
};

const isLanguage = (text: string | null | undefined): text is Language => Object.hasOwn(languages, text ?? "");

/** The language of the reader: the one that was chosen on the device, else the first of the browser that there is. */
const chosen: string | null = localStorage.getItem("language");
const accepted: readonly Intl.Locale[] = navigator.languages.map((tag) => new Intl.Locale(tag));
export const language: Language = isLanguage(chosen)
  ? chosen
  : (accepted.map((each) => each.language).find(isLanguage) ?? "en");

/** The language with the country that the browser names. */
export const locale: string =
  accepted.find((each) => each.language === language && each.region !== undefined)?.baseName ?? language;

/** The texts in the language of the reader. */
export const words: Words = (await files[language]()).default;

/** Chooses another language for this device. */
export function choose(other: Language): void {
  localStorage.setItem("language", other);
  location.reload();
}

/** Puts values in the places `{name}` of a text. */
export const filled = (text: string, values: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));

/** Puts elements in the places of a text. */
export const filledWith = (text: string, values: Readonly<Record<string, Children>>): Children =>
  text.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? part : (values[part] ?? part)));

const plurals = new Intl.PluralRules(locale);

/** Returns a text with a number in it. */
export const count = (forms: Plural, n: number, shown: string = number(n)): string =>
  filled(forms[plurals.select(n)] ?? forms.other, { n: shown });

export const number = (n: number): string => n.toLocaleString(locale);
