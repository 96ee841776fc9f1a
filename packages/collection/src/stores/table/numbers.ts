import { valuesAt } from "../../members/value.ts";
import type { SearchedMember } from "../contract/selection.ts";
import { documentWords, eachOnce, isDigits } from "./words.ts";

/** A part of a search: a record has all of the words, or a number with the digits. */
export interface SoughtPart {
  readonly words: readonly string[];
  /** Whether the last word may be the beginning of one. */
  readonly isLast: boolean;
  /** Undefined where no number is sought. */
  readonly digits: string | undefined;
}

/**
 * Returns the parts of a search, of which a record has each: single words, and neighbouring words of digits as what may be a number.
 *
 * ```ts
 * soughtParts(["ada", "020", "7946"]); // "ada", and "020" with "7946" or the digits 207946
 * ```
 */
export function soughtParts(words: readonly string[]): readonly SoughtPart[] {
  const groups: (readonly [string, ...string[]])[] = [];
  for (const word of words) {
    const before = groups.at(-1);
    const isOfNumber = before !== undefined && isDigits(before[0]) && isDigits(word);
    if (isOfNumber) groups.splice(-1, 1, [...before, word]);
    else groups.push([word]);
  }
  return groups.map((group, at) => {
    // Whoever calls from within a country, or from another one, dials zeros that the number may be written without.
    const digits = group.join("").replace(/^00?(?=[0-9]{4})/, "");
    const isNumber = isDigits(digits) && digits.length > runLength && digits.length <= mostDigits;
    return { words: group, isLast: at === groups.length - 1, digits: isNumber ? digits : undefined };
  });
}

/** Returns whether a search may be for a number, whose runs other numbers may have, too. */
export const mayBeForNumber = (words: readonly string[]): boolean =>
  soughtParts(words).some(({ digits }) => digits !== undefined);

/**
 * Returns whether a document has the numbers of a search, or what they are as words.
 *
 * @param isLastSought whether it must have the last word, too, or a longer one that begins so
 */
export function hasSought(
  document: unknown,
  members: readonly SearchedMember[],
  words: readonly string[],
  isLastSought: boolean,
): boolean {
  const numbers = documentNumbers(document, members);
  const others = soughtParts(words).filter(({ digits, isLast }) =>
    digits === undefined ? isLastSought && isLast : !numbers.some((each) => each.includes(digits)),
  );
  if (others.length === 0) return true;
  const all = documentWords(document, members);
  return others.every(({ words: sought, isLast }) => {
    const beginning = isLast ? sought.length - 1 : sought.length;
    return sought.every((word, at) => all.some((each) => (at === beginning ? each.startsWith(word) : each === word)));
  });
}

/** Returns the digits of the numbers of a document, each number once. Only the first 64 digits of one count. */
export function documentNumbers(document: unknown, members: readonly SearchedMember[]): readonly string[] {
  const numbers: string[] = [];
  for (const { name, by } of members) {
    if (by !== "digits") continue;
    for (const text of valuesAt(document, name)) if (typeof text === "string") numbers.push(digitsOf(text));
  }
  return eachOnce(numbers);
}

const digitsOf = (text: string): string =>
  withoutTrunkZero(text)
    .replaceAll(/[^0-9]+/g, "")
    .slice(0, mostDigits);

/**
 * Returns what a number is found by: the runs of three digits from each second place on, since four digits in a row have one of them.
 * That costs half as much as all runs of four. Each is one character that no word has, because an index of the beginnings of words
 * has an entry for each character of a word.
 */
export function runsOf(digits: string): readonly string[] {
  const runs: string[] = [];
  for (let at = 0; at + runLength <= digits.length; at += 2) {
    runs.push(String.fromCharCode(firstPrivate + Number(digits.slice(at, at + runLength))));
  }
  return runs;
}

/** Returns the runs of a number that has the digits: of one in which they begin at such a place, and of any other. */
export const soughtRuns = (digits: string): readonly (readonly string[])[] => [runsOf(digits), runsOf(digits.slice(1))];

/** Leaves out the zero that is dialled only within the country, as in +49 (0)441 2345. */
export const withoutTrunkZero = (text: string): string =>
  text.includes("(0)") ? text.replaceAll(/(?<=[0-9] ?)\(0\)/g, "") : text;

const runLength = 3;
const mostDigits = 64;
/** The first character of Unicode for private use. */
const firstPrivate = 0xe000;
