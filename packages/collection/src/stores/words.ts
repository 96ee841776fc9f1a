import { valueAt } from "../member-value.ts";

/**
 * Returns the words of a text, as they are stored and searched: runs of letters and digits, without marks, and equal
 * for text that differs only in case or width. Only the first 64 characters of a word count.
 *
 * ```ts
 * toWords("Zoë’s GROẞE Straße 9½"); // ["zoe", "s", "grosse", "strasse", "91", "2"]
 * ```
 */
export function toWords(text: string): readonly string[] {
  return (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > longest ? Array.from(word).slice(0, longest).join("") : word,
  );
}

/** Changes with what `toWords` makes of any text, so that what is stored is made anew. */
export const wordsVersion = 1;

const longest = 64;

function fold(text: string): string {
  // Of ASCII there are only capitals to fold: without the rest the words of a person take half the time.
  if (!/[^ -~]/.test(text)) return text.toLowerCase();
  // By way of the capitals, in which ß is SS; and the form of a letter for the end of words is a letter like the other.
  return decompose(decompose(text).toLowerCase().toUpperCase()).toLowerCase().replaceAll("ς", "σ");
}

/**
 * Compatible characters made one (Unicode, form NFKD), without marks. Those of the text itself go first: to put a run of them in
 * order takes normalize a time that grows with the square of its length.
 */
const decompose = (text: string): string => withoutMarks(withoutMarks(text).normalize("NFKD"));
const withoutMarks = (text: string): string => text.replaceAll(/\p{M}+/gu, "");

/** Each word once of these members of a document; of a list, those of the texts in it. */
export function documentWords(document: unknown, members: readonly string[]): readonly string[] {
  const words = new Set<string>();
  for (const member of members) {
    const value = valueAt(document, member);
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text === "string") for (const word of toWords(text)) words.add(word);
    }
  }
  return [...words];
}
