import { contexts, type FurtherValues, features, furtherValues } from "../person/members.ts";
import type { FurtherValue } from "../person/person.ts";
import { meaningOf } from "../person/uses.ts";

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

/** A column with one of several values, or with the label of one: `Business Phone 2`, `E-mail 1 - Type`. */
export interface ContactColumn {
  readonly list: FurtherValues;
  /** The single member of the list, or the part of it. */
  readonly member: string;
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
  const isNumber = (word: string): boolean => /^\d{1,2}$/.test(word) || ordinals.has(word);
  const uses = words.filter(isUse).map(meaningOf);
  const said = words.filter((word) => !isUse(word) && !isNumber(word) && !fillers.has(word) && !labels.has(word));
  const saysMore = (word: string): boolean => !joining.has(word);
  const rest = said.slice(said.findIndex(saysMore), said.findLastIndex(saysMore) + 1);
  const isTelephone = rest.length === 0 && uses.some((use) => features.includes(use));
  const member = isTelephone ? withFeatures?.single : memberOf(rest.join(" "));
  const list = listOf(member);
  if (list === undefined || member === undefined) return undefined;
  const number = words.find(isNumber) ?? "";
  const isLabel = words.some((word) => labels.has(word));
  // "Street 2" is a further line of an address, not of another one as "Address 2 - Street" is.
  if (list.parts.length > 0 && number !== "" && rest.length === 1 && !isLabel) return undefined;
  return { list, member, number: ordinals.get(number) ?? number, uses, isLabel };
}

const withFeatures = furtherValues.find(({ hasFeatures }) => hasFeatures);

/** Returns the list of which a member, or the object that it is a part of, is the preferred value. */
export const listOf = (member: string | undefined): FurtherValues | undefined =>
  furtherValues.find(({ single }) => single === member?.split(".")[0]);

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
  "weiterer",
  "weiteres",
  "autre",
  "otro",
  "otra",
]);
/** In headings, between a value and what it is for. */
const joining: ReadonlySet<string> = new Set(["de", "del"]);
const labels: ReadonlySet<string> = new Set(["label", "type", "typ", "étiquette", "etiqueta", "tipo"]);
const ordinals: ReadonlyMap<string, string> = new Map([
  ["primary", "1"],
  ["secondary", "2"],
]);
