import { html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import { saidByApi } from "../words/said-by-api.ts";
import type { Words } from "../words/words.ts";
import type { MemberFields } from "./fields.ts";

/** Returns what the API says of a member in the words of a form; what is not known stays as it is. */
export function faultInWords({ words, dateText }: Reader, detail: string, labelOf: (name: string) => string): string {
  for (const [name, pattern] of patterns) {
    const found = pattern.exec(detail);
    if (found === null) continue;
    const values: Readonly<Record<string, string>> = { example: exampleDate, ...found.groups };
    return words.faults[name].replaceAll(/\{(\w+)\}/g, (_, place) => labelOf(dateText(values[place] ?? "")));
  }
  return detail;
}

/** Returns the name of the member at a JSON pointer of the API: `address.postalCode` at `#/address/postalCode`; empty for the whole. */
export const memberAt = (pointer: string): string => pointer.replace(/^#\/?/, "").replaceAll("/", ".");

/** Makes an error of the API readable: the member by its label, and what is wrong with it in the words of a form. */
export function faultAt(reader: Reader, { fieldOf }: MemberFields, pointer: string, detail: string): SafeHtml {
  const labelOf = (name: string): string => fieldOf(name).label;
  const name = memberAt(pointer);
  return html`${name === "" ? "" : `${labelOf(name)} `}<bdi>${faultInWords(reader, detail, labelOf)}</bdi>`;
}

/** Returns the errors that the sentence above them does not say already. */
export const errorsBeside = <T extends { readonly detail?: string }>(
  sentence: string | undefined,
  errors: readonly T[] = [],
): readonly T[] => errors.filter(({ detail }) => detail === undefined || !sentence?.includes(detail));

/** With a day that can be no month. */
export const exampleDate = "1950-01-31";

const patterns = Object.entries(saidByApi).map(([name, text]) => {
  const parts = text.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? RegExp.escape(part) : `(?<${part}>.+)`));
  return [name as keyof Words["faults"], new RegExp(`^${parts.join("")}$`, "su")] as const; // its own names
});
