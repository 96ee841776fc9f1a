import { toWords } from "./words.ts";

/** Each word once of these members of a JSON object; of a list, those of the texts in it. */
export function documentWords(json: string, members: readonly string[]): readonly string[] {
  const document: unknown = JSON.parse(json);
  const texts = members.flatMap((member) => valueAt(document, member)).filter((value) => typeof value === "string");
  return [...new Set(texts.flatMap(toWords))];
}

/** The value of `address.postalCode`; undefined when there is none. */
function valueAt(document: unknown, member: string): unknown {
  return member.split(".").reduce(memberOf, document);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
