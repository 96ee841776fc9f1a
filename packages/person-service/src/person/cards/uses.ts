import { contexts, type FurtherValues, features } from "../members/members.ts";
import type { FurtherValue } from "../members/person.ts";

/** What words say that a value is for. */
export type ContactUses = Pick<FurtherValue, "contexts" | "features">;

/** Returns what words in small letters say of a value of a list, each use once; words that say nothing are left out. */
export function usesOf(words: readonly string[], { hasFeatures }: FurtherValues): ContactUses {
  const said = [...new Set(words.map(meaningOf))];
  const ofContext = said.filter((each) => contexts.includes(each));
  const ofFeature = hasFeatures ? said.filter((each) => features.includes(each)) : [];
  return {
    ...(ofContext.length > 0 && { contexts: ofContext }),
    ...(ofFeature.length > 0 && { features: ofFeature }),
  };
}

const everyUse: ReadonlySet<string> = new Set([...contexts, ...features]);

/** Whether a word in small letters says what a value is for. */
const isUse = (word: string): boolean => everyUse.has(meaningOf(word));

/** What Outlook has in `E-mail Type`: how the address is written to, which says nothing of it. */
const protocol = "SMTP";

/** Returns what a label says of a value: uses where it has only words for them, else its text. Google has an asterisk before the preferred. */
export function labelled(label: string, list: FurtherValues): ContactUses & { readonly label?: string } {
  const said = label.replace(/^\* /, "").trim();
  const text = said === protocol ? "" : said;
  const words = wordsOf(text);
  return words.length > 0 && words.every(isUse) ? usesOf(words, list) : { ...(text !== "" && { label: text }) };
}

/** Whether nobody is called at a value: it is the first one only where there is no other. */
export const isForMachines = ({ features = [] }: FurtherValue): boolean =>
  features.some((feature) => feature === "fax" || feature === "pager");

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];

/** Returns what a word in small letters says that a value is for, in the words of `contexts` and `features`; another word as it is. */
export const meaningOf = (word: string): string => meanings.get(word) ?? word;

/** What other programs call a use, in English, German, French and Spanish. */
const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    private:
      "home, personal, privat, privé, privée, domicile, personnel, personnelle, particular, casa, domicilio, residencia",
    work: "business, office, geschäftlich, arbeit, dienstlich, büro, professionnel, professionnelle, travail, bureau, trabajo, oficina",
    mobile: "cell, cellular, iphone, handy, mobil, mobiltelefon, móvil, portable",
    fax: "telefax, télécopie",
    pager: "buscapersonas",
    "main-number": "main, principal",
  }).flatMap(([use, words]) => words.split(", ").map((word) => [word, use] as const)),
);
