import type { MemberType } from "@waymark/collection";

/** What the values of a member are; the last four only of a service's own. */
export type MemberKind =
  | "id"
  | "line"
  | "text"
  | "date"
  | "email"
  | "telephone"
  | "url"
  | "country"
  | "language"
  | "property"
  | "integer"
  | "number"
  | "boolean"
  | "choice";

/** What there is to know of a member. */
export interface PersonMember {
  /** What its values are, which decides how they are validated, shown, asked for and read from files. */
  readonly kind: MemberKind;
  /** Whether it is a list of such values, none twice. */
  readonly list?: true;
  /** For a list of further values with what is said of each, the member that is the first one. See `FurtherValue`. */
  readonly of?: string;
  /** The characters of a text. Default: 1. */
  readonly min?: number;
  readonly max?: number;
  /** Whether every stored person has it. */
  readonly always?: true;
  /** What the whole of a text matches, a regular expression: see `patternTest`. */
  readonly pattern?: string;
  /** Whether a date cannot be in the future. */
  readonly past?: true;
  /** The bounds of a number or a date. */
  readonly least?: number | string;
  readonly greatest?: number | string;
  /** The texts of which a choice is one. */
  readonly values?: readonly string[];
  /** See `MemberUse`. */
  readonly filter?: MemberType;
  readonly search?: true | "digits";
  readonly unique?: true;
  /** Whether the list of the page shows it, and whether the page of a person has it below the name. */
  readonly column?: true;
  readonly headline?: true;
  /** The type of the node with this name that it is in JSON-LD. Default: it is a value. */
  readonly node?: string;
  /** The member in whose node it is another one of the same type. */
  readonly within?: string;
  /** What it is in JSON-LD of the work about the person. Default: a term of the person under its own name. */
  readonly recordTerm?: string;
  /** What the page calls it, and what stands below its field. */
  readonly label: ByLanguage;
  readonly hint?: ByLanguage;
  /** The part of the page and of its form; empty for none. */
  readonly group: "" | "Name" | "Contact" | "Address" | "Work" | "More";
  /** Its property of a vCard, and which part of the value it is, from 0; empty for none. */
  readonly vcard: string;
  /** What other programs and people call it, besides the page, separated by commas; at first those in English. */
  readonly words: string;
  /** A word, as `toLooseKey` has it, that means it beside a column of what the word usually means. */
  readonly wordBeside?: string;
  readonly example?: string | readonly string[];
  /** Its rule, for people. */
  readonly rule: string;
}

/** Returns what a member is called by other programs, and by the page in each language. */
export const namesFor = ({ words, label }: PersonMember): readonly string[] => [
  ...words.split(", ").filter((word) => word !== ""),
  ...Object.values(label),
];

/** The languages that the pages are written in. */
export const languages = ["en", "de", "fr", "es"] as const;

export type Language = (typeof languages)[number];

/** A text in each of them. */
export type ByLanguage = Readonly<Record<Language, string>>;

/** Makes a text that is the same in every language. */
export const inEveryLanguage = (text: string): ByLanguage => ({ en: text, de: text, fr: text, es: text });
