/** Folds a text as it is searched: letters without case, width and marks. */
export const foldLetters: (text: string) => string = folding(/\p{M}+/gu);

/**
 * Folds a text as it is compared: without case, width, accents and points, ß as ss, ł as l. The vowel signs of the scripts of India and
 * their like stay, since names differ by them.
 *
 * ```ts
 * foldText("Ömer STRAẞE Łódź ﬁn"); // "omer strasse lodz fin"
 * ```
 */
export const foldText: (text: string) => string = folding(/[\p{M}&&[\p{Diacritic}\p{Script=Inherited}]]+/gv);

/** Changes with the result of `foldText` for any text, so that stored columns are filled again. */
export const foldVersion = 1;

/**
 * Makes what folds the letters of Europe and the Middle East one by one, since no rule depends on their neighbours, and keeps what they
 * become: a text with umlauts takes two thirds of the time.
 *
 * @param marks those that are removed
 */
function folding(marks: RegExp): (text: string) => string {
  const foldings = new Map<string, string>();
  const foldedPart = (part: string): string => {
    const kept = foldings.get(part);
    if (kept !== undefined) return kept;
    const folded = foldPart(part, marks);
    if (part < "\u0800") foldings.set(part, folded);
    return folded;
  };
  return (text) => text.replaceAll(/[\x80-\u07ff]|[^\0-\u07ff]+/gu, foldedPart).toLowerCase();
}

function foldPart(text: string, marks: RegExp): string {
  // Through upper case, where ß is SS and a final sigma is like any other sigma.
  const upper = decompose(text, marks).toLowerCase().toUpperCase();
  const folded = decompose(upper, marks).toLowerCase().replaceAll("ς", "σ");
  return folded.replaceAll(/[æðøþđħĸłŋœŧ]/g, (letter) => plainLetters[letter] ?? letter);
}

/** Letters of Europe that Unicode does not decompose, as the transform Latin-ASCII of its CLDR has them. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ æ: "ae", ð: "d", ø: "o", þ: "th", đ: "d", ħ: "h", ĸ: "q", ł: "l", ŋ: "n", œ: "oe", ŧ: "t" },
};

/**
 * Decomposes compatible characters (Unicode, form NFKD) and removes marks. Those of the text itself are removed first, and more than 30
 * in a row, which no text has (UAX 15, section 13): `normalize` takes a time that grows with the square of the length of such a run.
 */
const decompose = (text: string, marks: RegExp): string =>
  text
    .replaceAll(/\p{M}{31,}/gu, "")
    .replaceAll(marks, "")
    .normalize("NFKD")
    .replaceAll(marks, "");
