import { valueAt } from "../member-value.ts";
import { toWords } from "./words.ts";

/** Each word once of these members of a document; of a list, those of the texts in it. */
export function documentWords(document: unknown, members: readonly string[]): readonly string[] {
  const texts = members.flatMap((member) => valueAt(document, member)).filter((value) => typeof value === "string");
  return [...new Set(texts.flatMap(toWords))];
}
