import { nearestName } from "waymark/content";

/** Returns ` Did you mean "import"?` for a word near to one of the names, and nothing for another. */
export function didYouMean(word: string, names: readonly string[], toText: (name: string) => string = String): string {
  const name = nearestName(word, names);
  return name === undefined ? "" : ` Did you mean "${toText(name)}"?`;
}
