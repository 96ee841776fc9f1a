import { html, type SafeHtml } from "../frame/html.ts";
import type { Reader } from "../frame/reader.ts";
import type { Words } from "../words/words.ts";
import type { MemberFields } from "./fields.ts";

/** What the API says of a member, by the text of the pages that says it in the words of a form. A test finds what is missing. */
const saidByApi: Readonly<Record<keyof Words["faults"], string>> = {
  nameless: "is required where there is no {one} or {other}",
  taken: "is already used by another record",
  missing: "is not there any more",
  outdated: "has changed since it was read",
  date: "must be a date as YYYY-MM-DD such as 1815-12-10, not {found}",
  year: "must be a real date; there is no year 0000",
  month: "must be a real date; there is no month {month}",
  day: "must be a real date, and {month} has the days 01 to {days}",
  future: "must not be in the future; today is {today} in UTC",
  country: "must be an ISO 3166-1 alpha-2 country code in capitals such as NO, not {found}",
  spaces: "must not contain spaces",
  ats: "must have one @ as in ada@example.org, not {count}",
  beforeAt: "must have something before the @, as in ada@example.org",
  afterAt: "must have something after the @, as in ada@example.org",
  language: "must be a BCP 47 language tag such as en, pt-BR or zh-Hans, not {found}",
  telephone:
    "must be digits with spaces and + - . ( ) / between them, and perhaps an extension at the end such as x123",
  url: "must be an absolute http or https URL such as https://example.org/ada",
  user: "must not contain a user name or password before the host",
  property: "must be a property of a vCard on one line, with names in capitals, such as X-SKYPE;TYPE=home:ada",
  whole: "must be an integer, not {found}",
  wholeWithin: "must be an integer from {least} to {greatest}, not {found}",
  number: "must be a number, not {found}",
  numberWithin: "must be a number from {least} to {greatest}, not {found}",
  dateWithin: "must be from {least} to {greatest}, not {found}",
  pattern: "must match {pattern}, and {found} does not",
  choice: "must be one of {choices}",
  length: "must have {min} to {max} characters, not {count}",
  blank: "must not be blank; it has no visible character",
  control: "must not contain {kind}: character {place} is {character}",
  outer: "must not begin or end with white space; it {side} with {space}",
  many: "has {count} values; at most {most} are allowed",
  twice: "is there twice",
  preferred: "is true for another one: one is preferred",
  single: "is not the preferred one of {list}: send one of both, or the same in both",
};

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
