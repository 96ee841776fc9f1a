import { type ContactList, contactLists, contexts, features } from "../person/contact-lists.ts";

/** What words say that a value is for. */
export interface ContactUses {
  readonly contexts?: readonly string[];
  readonly features?: readonly string[];
}

/** Returns what words in small letters say of a value of a list, each use once; words that say nothing are left out. */
export function usesOf(words: readonly string[], { hasFeatures }: ContactList): ContactUses {
  const said = [...new Set(words.map((word) => meanings.get(word) ?? word))];
  const ofContext = said.filter((each) => contexts.includes(each));
  const ofFeature = hasFeatures ? said.filter((each) => features.includes(each)) : [];
  return {
    ...(ofContext.length > 0 && { contexts: ofContext }),
    ...(ofFeature.length > 0 && { features: ofFeature }),
  };
}

/** Whether a word in small letters says what a value is for. */
const isUse = (word: string): boolean => {
  const meant = meanings.get(word) ?? word;
  return contexts.includes(meant) || features.includes(meant);
};

/** Returns the words in small letters that say nothing of what a value is for, as a label. */
export const wordsWithoutUse = (words: readonly string[]): string =>
  [...new Set(words.filter((word) => !isUse(word)))].join(", ");

/** Returns what a label says of a value: uses where it has only words for them, else its text. Google has an asterisk before the preferred. */
export function labelled(label: string, list: ContactList): ContactUses & { readonly label?: string } {
  const text = label.replace(/^\* /, "").trim();
  const words = wordsOf(text);
  return words.length > 0 && words.every(isUse) ? usesOf(words, list) : { ...(text !== "" && { label: text }) };
}

/** A column with one of several values, or with the label of one: `Business Phone 2`, `E-mail 1 - Type`. */
export interface ContactColumn {
  readonly list: ContactList;
  /** What tells values of the same uses apart; empty without a number. */
  readonly number: string;
  readonly uses: readonly string[];
  readonly isLabel: boolean;
}

/**
 * Returns what a heading says of a value; undefined where it is of no list.
 *
 * @param memberOf returns the member that a heading without uses and numbers means
 */
export function contactColumn(
  heading: string,
  memberOf: (heading: string) => string | undefined,
): ContactColumn | undefined {
  const words = wordsOf(heading);
  const isNumber = (word: string): boolean => /^\d{1,2}$/.test(word) || word in ordinals;
  const uses = words.filter(isUse);
  const rest = words.filter((word) => !isUse(word) && !isNumber(word) && !fillers.has(word) && !labels.has(word));
  const isTelephone = rest.length === 0 && uses.some((word) => features.includes(meanings.get(word) ?? word));
  const member = memberOf(rest.join(" "));
  const list = contactLists.find((each) => (isTelephone ? each.hasFeatures : each.single === member));
  if (list === undefined) return undefined;
  const number = words.find(isNumber) ?? "";
  return { list, number: ordinals[number] ?? number, uses, isLabel: words.some((word) => labels.has(word)) };
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];

/** In headings, between others. */
const fillers: ReadonlySet<string> = new Set([
  "value",
  "wert",
  "number",
  "nummer",
  "numéro",
  "número",
  "other",
  "weitere",
  "autre",
  "otro",
]);
const labels: ReadonlySet<string> = new Set(["label", "type", "typ", "étiquette", "etiqueta", "tipo"]);
const ordinals: Readonly<Record<string, string>> = { primary: "1", secondary: "2" };

/** What other programs call a use, in English, German, French and Spanish. */
const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    private: "home, personal, privat, privé, privée, domicile, personnel, personnelle, particular, casa",
    work: "business, office, geschäftlich, arbeit, dienstlich, büro, professionnel, professionnelle, travail, bureau, trabajo, oficina",
    mobile: "cell, cellular, iphone, handy, mobil, mobiltelefon, móvil, portable",
    fax: "telefax, télécopie",
    "main-number": "main",
  }).flatMap(([use, words]) => words.split(", ").map((word) => [word, use] as const)),
);
