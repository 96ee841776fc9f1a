import { toWords } from "./words.ts";

/** Each word once of these members of a JSON object; of a list, those of the texts in it. */
export function documentWords(json: string, members: readonly string[]): readonly string[] {
  const document: unknown = JSON.parse(json);
  const words = new Set<string>();
  for (const member of members) {
    const value = valueAt(document, member);
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text === "string") for (const word of toWords(text)) words.add(word);
    }
  }
  return [...words];
}

/** The value of `address.postalCode`; undefined when there is none. */
function valueAt(document: unknown, member: string): unknown {
  return member.includes(".") ? member.split(".").reduce(memberOf, document) : memberOf(document, member);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name]; // an object of JSON
}
