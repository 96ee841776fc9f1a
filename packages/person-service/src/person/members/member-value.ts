import { countryCodeOf } from "./countries.ts";
import type { MemberKind } from "./member.ts";

/** Returns the value of a member, `familyName` or `address.postalCode`; undefined when the person does not have it. */
export function memberOf(person: unknown, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      person,
    );
}

/** Returns the value of a member as text; that of a list as its values with commas between them. */
export function textOf(person: unknown, name: string): string | undefined {
  const value = memberOf(person, name);
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(jsonText).join(", ") : jsonText(value);
}

/** Returns a value of JSON as text. A client's object may have a member `toString`, by which `String` would fail. */
export const jsonText = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/**
 * Returns a text that a person or a program has written as the value that it means: without white space around it, without the scheme
 * of an e-mail or a telephone and characters that cannot be seen, the code of a country, a URL with its scheme; of a number or a
 * boolean, where it is one.
 */
export function plainValue(text: string, kind: MemberKind | undefined): string | number | boolean {
  // The only text that may have white space around it, and lines, which end in CRLF in files of Windows.
  if (kind === "text") return text.replaceAll(/\r\n?/g, "\n");
  const plain = text.trim();
  switch (kind) {
    case "email":
      return visible(plain).replace(/^mailto:/i, "");
    case "telephone":
      return visible(plain).replace(/^tel:/i, "");
    case "url":
      return webAddress(visible(plain));
    case "country":
      return countryCodeOf(plain) ?? plain;
    case undefined:
      return plain;
    default:
      return typedValue(plain, kind);
  }
}

/** Returns a text without characters that cannot be seen, as they come with what was copied from a page, and with plain spaces. */
const visible = (text: string): string =>
  text
    .replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, "")
    .replaceAll(/\p{Zs}/gu, " ")
    .trim();

/** Returns the URL that a text such as `www.example.org/ada` stands for; other text as it is. */
const webAddress = (text: string): string =>
  /^(?:[\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]+(?:[:/?#]\S*)?$/u.test(text) ? `https://${text}` : text;

/** Returns what a text is as a value of a kind: of a number or a boolean, where it is one, and text otherwise. */
function typedValue(text: string, kind: MemberKind): string | number | boolean {
  switch (kind) {
    case "integer":
    case "number":
      return /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : text;
    case "boolean":
      return truths.get(text.toLowerCase()) ?? text;
    default:
      return text;
  }
}

/** What spreadsheets and people write, in English, German, French and Spanish. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "y", "x", "1", "wahr", "ja", "vrai", "oui", "verdadero", "sí", "si"].map(
    (text) => [text, true] as const,
  ),
  ...["false", "no", "n", "0", "falsch", "nein", "faux", "non", "falso"].map((text) => [text, false] as const),
]);

/** Returns the values of a member: one, or those of a list. */
export function valuesOf(person: unknown, name: string): readonly unknown[] {
  const value = memberOf(person, name);
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Makes a person of the values of members, without those that are undefined. */
export function fromValues(values: Iterable<readonly [name: string, value: unknown]>): Record<string, unknown> {
  const person: Record<string, unknown> = {};
  for (const [name, value] of values) if (value !== undefined) place(person, name.split("."), value);
  return person;
}

function place(target: Record<string, unknown>, [name = "", ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) {
    target[name] = value;
    return;
  }
  const given = Object.hasOwn(target, name) ? target[name] : undefined;
  const object = isObject(given) ? { ...given } : {};
  place(object, inner, value);
  target[name] = object;
}

/** Whether a value that was read from JSON is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a member is there, and not null. */
export const isGiven = (person: unknown, member: string): boolean => (memberOf(person, member) ?? null) !== null;
