import type { english } from "./english.ts";

/** The texts of the pages in one language, each with the places `{name}` for what is put in. One that is missing does not compile. */
export type Words = Translated<typeof english>;

/** A text for each form that a language has for numbers, in which `{n}` is the number. */
export type Plural = Readonly<Record<"one" | "other", string>> & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;

type Translated<T> = T extends string
  ? string
  : T extends { readonly one: string; readonly other: string }
    ? Plural
    : { readonly [K in keyof T]: Translated<T[K]> };

/** What a script of a page is given of them: what only scripts say, and what they say as well. */
export interface ScriptWords extends Readonly<Words["scripts"]> {
  readonly keysFor: Readonly<Record<string, string>>;
  readonly cancel: string;
  readonly backToList: string;
}

export const scriptWords = ({ scripts, list, person, form, review }: Words): ScriptWords => ({
  ...scripts,
  keysFor: { "/": list.search, n: list.create, e: person.edit, "?": scripts.showKeys },
  cancel: form.cancel,
  backToList: review.back,
});
