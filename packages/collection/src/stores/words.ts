import { valuesAt } from "../member-value.ts";

/**
 * Returns the words of a text, as they are stored and searched: runs of letters and digits, without marks, and equal
 * for text that differs only in case or width. Only the first 64 characters of a word count.
 *
 * ```ts
 * toWords("Zoë’s GROẞE Straße 9½"); // ["zoe", "s", "grosse", "strasse", "91", "2"]
 * ```
 */
export function toWords(text: string): readonly string[] {
  // ASCII has only capitals to fold, and few letters to look for. This takes a third of the time for the words of a person.
  const words = ascii.test(text) ? text.toLowerCase().match(/[0-9a-z]+/g) : fold(text).match(/[\p{L}\p{N}]+/gu);
  return words?.map(shorten) ?? [];
}

const ascii = /^[ -~]*$/;

const shorten = (word: string): string => (word.length > longest ? Array.from(word).slice(0, longest).join("") : word);

/** Changes with the result of `toWords` for any text, so that stored words are made again. */
const wordsVersion = 1;

/**
 * Names the way in which the words of these members are stored. When the name changes, they are stored again.
 *
 * @param version of what an engine adds to the words
 */
export const wordRule = (members: readonly string[], ...version: readonly number[]): string =>
  JSON.stringify([wordsVersion, ...version, ...members]);

/**
 * Returns the members that a `wordRule` has in addition to those of the rule before: records without them keep their words. Undefined
 * where all words are stored again.
 */
export function addedMembers(before: string | undefined, rule: string): readonly string[] | undefined {
  if (before === undefined) return undefined;
  const [old, due]: readonly (readonly unknown[])[] = [JSON.parse(before), JSON.parse(rule)];
  if (old === undefined || due === undefined || !old.every((part) => due.includes(part))) return undefined;
  return due.filter((part): part is string => typeof part === "string" && !old.includes(part));
}

const longest = 64;

function fold(text: string): string {
  // Through upper case, where ß is SS and a final sigma is like any other sigma.
  return decompose(decompose(text).toLowerCase().toUpperCase()).toLowerCase().replaceAll("ς", "σ");
}

/**
 * Decomposes compatible characters (Unicode, form NFKD) and removes marks. Marks of the text itself are removed first: `normalize`
 * takes a time that grows with the square of the length of a run of marks.
 */
const decompose = (text: string): string => withoutMarks(withoutMarks(text).normalize("NFKD"));
const withoutMarks = (text: string): string => text.replaceAll(/\p{M}+/gu, "");

/** Returns each word of these members of a document once; a list has the words of its texts. */
export function documentWords(document: unknown, members: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (const member of members) {
    for (const text of valuesAt(document, member)) {
      if (typeof text === "string") for (const word of toWords(text)) words.push(word);
    }
  }
  // To look through a few words takes a third of the time of a set.
  return words.length > 16 ? [...new Set(words)] : words.filter((word, at) => words.indexOf(word) === at);
}
