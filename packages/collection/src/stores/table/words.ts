import { foldLetters } from "../../members/fold.ts";
import { firstCharacters, valuesAt } from "../../members/value.ts";
import type { SearchedMember } from "../contract/selection.ts";

/**
 * Returns the words of a text, as they are searched: runs of letters and digits, without marks, and equal for text that differs only
 * in case or width. Only the first 64 characters of a word count.
 *
 * ```ts
 * toWords("Zoë’s GROẞE Straße 9½, Łódź"); // ["zoe", "s", "grosse", "strasse", "91", "2", "lodz"]
 * ```
 */
export function toWords(text: string): readonly string[] {
  const folded = foldLetters(text);
  // ASCII has few letters to look for. This takes a third of the time for the words of a person.
  const words = folded.match(ascii.test(folded) ? /[0-9a-z]+/g : /[\p{L}\p{N}]+/gu);
  return words?.map(shorten) ?? [];
}

const ascii = /^[ -~]*$/;

/** Returns whether a word has only digits. */
export const isDigits = (word: string): boolean => /^[0-9]+$/.test(word);

const shorten = (word: string): string => firstCharacters(word, longest);

/** Changes with the words by which a document is found, so that stored words are made again. */
const wordsVersion = 2;

/** Names the way in which the words of these members are stored. When the name changes, they are stored again. */
export const wordRule = (members: readonly SearchedMember[]): string =>
  JSON.stringify([wordsVersion, ...members.map(({ name, by }) => (by === "words" ? name : `${name} ${by}`))]);

const longest = 64;

/**
 * Returns the words by which a document is found, each once: those of these members, or of the texts in their lists, in each of their
 * spellings.
 */
export function documentWords(document: unknown, members: readonly SearchedMember[]): readonly string[] {
  const words: string[] = [];
  for (const { name, by } of members) {
    if (by !== "words") continue;
    for (const text of valuesAt(document, name)) if (typeof text === "string") addSpellings(text, words);
  }
  return eachOnce(words);
}

/** Returns each text once. A person has 20 words before that, for which a set takes as long as everything else. */
export const eachOnce = (texts: readonly string[]): readonly string[] =>
  texts.length > 32 ? [...new Set(texts)] : texts.filter((text, at) => texts.indexOf(text) === at);

/**
 * Adds the words of a text as it is written, joined (O’Brien as obrien, Jean-Luc as jeanluc), and with ae, oe and ue for ä, ö or ø, and
 * ü, and the other way round: whoever looks for Müller or Mueller finds both.
 */
function addSpellings(text: string, words: string[]): void {
  if (ascii.test(text)) {
    addPlain(text.toLowerCase(), words);
    return;
  }
  addWritten(text, words);
  if (joiner.test(text)) addWritten(text.replaceAll(joinedBy, ""), words);
}

/**
 * Adds the words of a text of ASCII with small letters, single and joined. By hand, since the words of a person are made in half the
 * time.
 */
function addPlain(text: string, words: string[]): void {
  let start = 0;
  let startOfJoined = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at);
    if (isPlain(code)) continue;
    if (start < at) {
      addWord(shorten(text.slice(start, at)), words);
      const isJoiner = code === 0x27 || code === 0x2d; // ' or -
      if (isJoiner && isPlain(text.charCodeAt(at + 1))) {
        start = at + 1;
        continue;
      }
      if (startOfJoined < start) addWord(shorten(text.slice(startOfJoined, at).replaceAll(/['-]/g, "")), words);
    }
    start = at + 1;
    startOfJoined = start;
  }
}

/** Whether a code is that of a small letter or digit of ASCII. */
const isPlain = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

function addWritten(text: string, words: string[]): void {
  for (const word of toWords(text)) addWord(word, words);
  if (!ascii.test(text)) for (const word of toWords(text.replaceAll(umlauts, withE))) addWord(word, words);
}

function addWord(word: string, words: string[]): void {
  words.push(word);
  if (digraph.test(word)) words.push(word.replaceAll(digraphs, "$1"));
}

const joiner = /['’ʼ‐‑-]/;
const joinedBy = /(?<=[\p{L}\p{M}\p{N}])['’ʼ‐‑-](?=[\p{L}\p{N}])/gu;
const umlauts = /[aou]\u0308|[äöüø]/gi;
const withE = (letter: string): string => `${foldLetters(letter)}e`;
const digraph = /[aou]e/;
const digraphs = /([aou])e/g;
