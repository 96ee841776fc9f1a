import { valueAt } from "../member-value.ts";
import { toWords } from "./words.ts";

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
