import { distance } from "fastest-levenshtein";

/**
 * Returns the name that was probably meant: one that begins with the word, or differs from it in few letters; undefined
 * when no name is near.
 *
 * ```ts
 * nearest("imprt", ["import", "export"]); // "import"
 * ```
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length > longest) return undefined;
  const ranked = names
    .map((name) => ({ name, difference: difference(typed, name.toLowerCase()) }))
    .toSorted((a, b) => a.difference - b.difference);
  const [best] = ranked;
  if (best === undefined) return undefined;
  // Two letters of four are half of the word, unless they changed places.
  const most = best.name.toLowerCase().startsWith(typed.slice(0, 1)) ? Math.max(2, typed.length / 3) : typed.length / 3;
  return best.difference <= most && best.difference < typed.length - 1 ? best.name : undefined;
}

const longest = 100;

const difference = (typed: string, name: string): number =>
  typed.length >= 3 && name.startsWith(typed) ? 1 : distance(typed, name);

/** Returns ` Did you mean "import"?` for a word near to one of the names, and nothing for another. */
export function didYouMean(word: string, names: readonly string[], toText: (name: string) => string = String): string {
  const name = nearest(word, names);
  return name === undefined ? "" : ` Did you mean "${toText(name)}"?`;
}
