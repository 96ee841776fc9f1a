import { nearestName } from "waymark/internal";

/** Returns ` Did you mean "import"?` for a word near to one of the names, and nothing for another. */
export function didYouMean(word: string, names: readonly string[], toText: (name: string) => string = String): string {
  const name = nearestName(word, names);
  return name === undefined ? "" : ` Did you mean "${toText(name)}"?`;
}

/** Returns what `didYouMean` does for a word near to one of the names, and a sentence that lists all names for another. */
export const didYouMeanOf = (word: string, names: readonly string[]): string =>
  didYouMean(word, names) || ` Known are ${names.join(", ")}.`;
