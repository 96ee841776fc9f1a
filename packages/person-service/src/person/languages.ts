/** The languages that the pages are written in. */
export const languages = ["en", "de", "fr", "es"] as const;

export type Language = (typeof languages)[number];

/** A text in each of them. */
export type ByLanguage = Readonly<Record<Language, string>>;

/** Makes a text that is the same in every language. */
export const inEveryLanguage = (text: string): ByLanguage => ({ en: text, de: text, fr: text, es: text });
