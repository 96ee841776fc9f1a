import { hash } from "node:crypto";
import { firstCharacters } from "../../../members/value.ts";
import type { SearchedMember } from "../../contract/selection.ts";
import type { ListFilter } from "../../reading/conditions.ts";
import { documentNumbers, runsOf, type SoughtPart, soughtParts, soughtRuns } from "../../table/numbers.ts";
import { documentWords } from "../../table/words.ts";
import { toArrayText } from "./sql.ts";

// What a search finds a record by is a text search vector, the server's own kind of words; they are made here, so that both databases find
// the same. What a filter of a list finds a record by are the elements of an array: whole values and beginnings.

/**
 * Makes what a search finds a record by, as the text of a vector: each number after `#`, and its runs; its words, and their beginnings of one
 * and of two characters, each with a star after it.
 */
export function indexedWords(document: unknown, members: readonly SearchedMember[]): string {
  const text = Array.from(new Set(lexemesOf(document, members)), quote).join(" ");
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const bytes = Buffer.from(text).subarray(0, mostBytes);
  return bytes.toString("utf8", 0, bytes.lastIndexOf(" "));
}

/** In bytes: a vector has less than 1 MiB. Later words of a document are not found. */
const mostBytes = 1_000_000;

function* lexemesOf(document: unknown, members: readonly SearchedMember[]): Generator<string> {
  for (const digits of documentNumbers(document, members)) yield* [`#${digits}`, ...runsOf(digits)];
  for (const word of documentWords(document, members)) yield* [word, ...beginningsOf(word, 2).map(toLexeme)];
}

/**
 * Makes the condition that a search finds a record. The words consist of letters and digits only.
 *
 * @param column the expression for the vector of the record
 */
export function wordsCondition(column: string, words: readonly string[], add: (value: string) => string): string {
  const matches = (query: string): string => `${column} @@ ${add(query)}::tsquery`;
  const parts = soughtParts(words);
  const others = parts.filter(({ digits }) => digits === undefined).map(wordsQuery);
  return [
    ...(others.length === 0 ? [] : [matches(others.join(" & "))]),
    ...parts.flatMap((part) => {
      const { digits } = part;
      if (digits === undefined) return [];
      const indexed = soughtRuns(digits).map((runs) => `(${runs.map(quote).join(" & ")})`);
      const number = `${matches(indexed.join(" | "))} AND ${column}::text ~ ${add(`#[0-9]*${digits}`)}`;
      return [`(${matches(wordsQuery(part))} OR (${number}))`];
    }),
  ].join(" AND ");
}

function wordsQuery({ words, isLast }: SoughtPart): string {
  return words.map((word, at) => (isLast && at === words.length - 1 ? beginningQuery(word) : quote(word))).join(" & ");
}

/**
 * Writes that one word begins so. The server gathers all records with such a word, of which there are many for one or two characters: with
 * 300,000 records, those of a rare word and a letter took 25 ms, and 2 ms where the letter is a lexeme of its own.
 */
const beginningQuery = (word: string): string =>
  beginningsOf(word, 3).length < 3 ? quote(toLexeme(word)) : `${quote(word)}:*`;

const toLexeme = (beginning: string): string => `${beginning}*`;
const quote = (lexeme: string): string => `'${lexeme}'`;

/** Makes what a list is compared by: each value after `=`, and its beginnings after `^`. */
export function indexedValues(values: readonly string[]): readonly string[] {
  const elements = new Set<string>();
  for (const value of values) {
    elements.add(wholeElement(value));
    for (const beginning of beginningsOf(value, longestBeginning)) elements.add(`^${beginning}`);
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
      const beginning = beginningsOf(prefix, longestBeginning).at(-1);
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

/** How many characters of a value of a list are indexed as beginnings. */
const longestBeginning = 5;

/** Returns the beginnings of a text: that of one character, of two, and so on. */
function beginningsOf(text: string, longest: number): readonly string[] {
  const beginnings: string[] = [];
  let beginning = "";
  for (const character of text) {
    beginning += character;
    beginnings.push(beginning);
    if (beginnings.length === longest) break;
  }
  return beginnings;
}
