/**
 * The words of a text, as full text is stored and searched: runs of letters and digits, without marks, in the form in which
 * those that differ in case or in width are the same. Those behind 64 characters of a word are left out.
 *
 * ```ts
 * toWords("Zoë’s GROẞE Straße 9½"); // ["zoe", "s", "grosse", "strasse", "91", "2"]
 * ```
 */
export function toWords(text: string): readonly string[] {
  // By way of the capitals, in which ß is SS; and the form of a letter for the end of words is a letter like the other.
  const folded = decompose(decompose(text).toLowerCase().toUpperCase()).toLowerCase().replaceAll("ς", "σ");
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > longest ? Array.from(word).slice(0, longest).join("") : word,
  );
}

/** Changes with what `toWords` makes of any text, so that what is stored is made anew. */
export const wordsVersion = 1;

const longest = 64;

/** Compatible characters made one (Unicode, form NFKD), without marks. */
const decompose = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}+/gu, "");
