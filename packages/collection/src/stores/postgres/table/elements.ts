import { hash } from "node:crypto";
import { firstCharacters } from "../../../members/value.ts";
import type { SearchedMember } from "../../contract/selection.ts";
import type { ListFilter } from "../../reading/conditions.ts";
import { documentNumbers, runsOf, soughtParts, soughtRuns } from "../../table/numbers.ts";
import { documentWords } from "../../table/words.ts";
import { toArrayText } from "./sql.ts";

// What a search, or a filter of a list, finds a record by are the elements of an array: whole ones and beginnings. To look for words and the
// beginning of another one, or for a value, is thus a test of these elements, which an inverted index answers.

/** Makes what a search finds a record by: its words, and their beginnings, each with a star after it; each number after `#`, and its runs. */
export function indexedWords(document: unknown, members: readonly SearchedMember[]): readonly string[] {
  const elements = new Set<string>();
  let size = 0;
  for (const word of documentWords(document, members)) {
    size += Buffer.byteLength(word);
    if (size > mostBytes) break;
    elements.add(word);
    for (const beginning of beginningsOf(word)) elements.add(`${beginning}*`);
  }
  for (const digits of documentNumbers(document, members)) {
    for (const element of [`#${digits}`, ...runsOf(digits)]) elements.add(element);
  }
  return [...elements];
}

/** In bytes of words. Later words of a document are not found. */
const mostBytes = 1_000_000;

/**
 * Makes the condition that a search finds a record. The words consist of letters and digits only.
 *
 * @param column the expression for the words of the record
 */
export function wordsCondition(column: string, words: readonly string[], add: (value: string) => string): string {
  const parts = soughtParts(words);
  const ofNumbers = parts.filter(({ digits }) => digits !== undefined);
  const others = parts.filter(({ digits }) => digits === undefined).flatMap(({ words }) => words);
  return [
    ...(others.length === 0 ? [] : [hasWords(column, others, parts.at(-1)?.digits === undefined, add)]),
    ...ofNumbers.map(
      ({ words, isLast, digits = "" }) =>
        `(${hasWords(column, words, isLast, add)} OR ${hasNumber(column, digits, add)})`,
    ),
  ].join(" AND ");
}

function hasNumber(column: string, digits: string, add: (value: string) => string): string {
  const indexed = soughtRuns(digits).map((runs) => `${column} ?& ${add(toArrayText(runs))}`);
  return `((${indexed.join(" OR ")}) AND ${column}::text ~ ${add(`#[0-9]*${digits}`)})`;
}

/** @param isLast whether the last word may be the beginning of one */
function hasWords(column: string, words: readonly string[], isLast: boolean, add: (value: string) => string): string {
  if (!isLast) return `${column} ?& ${add(toArrayText(words))}`;
  const [last = "", whole] = [words.at(-1), words.slice(0, -1)];
  const beginning = beginningsOf(last).at(-1) ?? "";
  const indexed = `${column} ?& ${add(toArrayText([...whole, `${beginning}*`]))}`;
  if (beginning === last) return indexed;
  // The index has only the first characters of a longer beginning: the records that it finds are checked one by one.
  return `(${indexed} AND strpos(${column}::text, ${add(`"${last}`)}) > 0)`;
}

/** Makes what a list is compared by: each value after `=`, and its beginnings after `^`. */
export function indexedValues(values: readonly string[]): readonly string[] {
  const elements = new Set<string>();
  for (const value of values) {
    elements.add(wholeElement(value));
    for (const beginning of beginningsOf(value)) elements.add(`^${beginning}`);
  }
  return [...elements];
}

/** Writes that one of the values of a list meets a filter. */
export function valuesCondition(column: string, filter: ListFilter, add: (value: string) => string): string {
  const hasElement = (element: string): string => `${column} ? ${add(element)}`;
  switch (filter.operator) {
    case "eq":
      return hasElement(wholeElement(String(filter.value)));
    case "in":
      return `${column} ?| ${add(toArrayText(filter.values.map((value) => wholeElement(String(value)))))}`;
    case "prefix": {
      const prefix = firstCharacters(filter.value, mostCharacters);
      const beginning = beginningsOf(prefix).at(-1);
      if (beginning === undefined) return `${column} IS NOT NULL`;
      const indexed = hasElement(`^${beginning}`);
      if (beginning === prefix) return indexed;
      // The index has only the first characters of a longer beginning: the records that it finds are checked one by one.
      return `(${indexed} AND EXISTS (SELECT 1 FROM jsonb_array_elements_text(${column}) AS listed (value) WHERE strpos(value, ${add(`=${prefix}`)}) = 1))`;
    }
  }
}

/** An index takes entries of at most 2,704 bytes: a longer value keeps its first characters, then what tells it from others. */
function wholeElement(value: string): string {
  const first = firstCharacters(value, mostCharacters);
  return first === value ? `=${value}` : `=${first}…${hash("sha256", value, "base64url")}`;
}

/** So many characters are stored of a long value. */
const mostCharacters = 600;

/**
 * How many characters of a word are indexed as beginnings. With 3, a search for a beginning of 6 characters reads the whole table,
 * in 25 ms for 20,000 records; with 5, it takes 0.2 ms, but the arrays are longer. Where it changes, so must `wordsVersion`.
 */
const longestBeginning = 5;

/** Returns the indexed beginnings of a text: that of one character, of two, and so on. */
function beginningsOf(word: string): readonly string[] {
  const beginnings: string[] = [];
  let beginning = "";
  for (const character of word) {
    beginning += character;
    beginnings.push(beginning);
    if (beginnings.length === longestBeginning) break;
  }
  return beginnings;
}
