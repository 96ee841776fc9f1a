import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import { firstCharacters } from "../../../members/value.ts";
import type { SearchedMember } from "../../contract/selection.ts";
import { documentNumbers, runsOf, type SoughtPart, soughtParts, soughtRuns } from "../../table/numbers.ts";
import { documentWords } from "../../table/words.ts";
import { prepareChange } from "../connections/statements.ts";

/** Returns the name of the table with the words of a collection's records, by their ids. */
export const wordsTable = (collection: string): string => `waymark_words_${collection}`;

/**
 * In characters, the lengths of the beginnings of words that are looked up at once. The records with a longer beginning have to be
 * gathered first: 120 ms for 300,000 records that all have a word with it.
 */
const prefixes = [1, 2, 3, 4, 5, 6];

/** Returns whether the words can be looked up for one record at a time. */
export const isIndexed = (words: readonly string[]): boolean => toIndexed(words).at(-1) === words.at(-1);

/** Returns the words with as much of the last one as is indexed, which at least the same records have. */
export const toIndexed = (words: readonly string[]): readonly string[] =>
  words.with(-1, firstCharacters(words.at(-1) ?? "", prefixes.length));

/** Returns the full-text query for the records that a search may find: see `mayBeForNumber`. */
export const matching = (words: readonly string[]): string => matchingParts(words).join(" AND ");

/** Returns the full-text queries for the records that have each part of a search. */
export const matchingParts = (words: readonly string[]): readonly string[] => soughtParts(words).map(matchingPart);

function matchingPart({ words, isLast, digits }: SoughtPart): string {
  const hasAll = (tokens: readonly string[]): string => tokens.map((token) => `"${token}"`).join(" AND ");
  const hasWords = `${hasAll(words)}${isLast ? "*" : ""}`;
  return digits === undefined ? hasWords : `(${[hasWords, ...soughtRuns(digits).map(hasAll)].join(" OR ")})`;
}

/** Makes what writes the words of a collection; undefined where it has no full text. */
export const wordsOf = (database: DatabaseSync, { name, fullText }: StoredCollection): SqliteWords | undefined =>
  fullText.length === 0 ? undefined : new SqliteWords(database, name, fullText);

/**
 * Collects the words of changed records, and puts them into their table at the end of a transaction: within its savepoints, those
 * of each record would be written separately, at five times the cost. A trigger removes the words of a removed record.
 */
export class SqliteWords {
  readonly #members: readonly SearchedMember[];
  readonly #isThere: StatementSync;
  readonly #insert: StatementSync;
  readonly #replace: StatementSync;
  /** The words of the records that have no words in the table, by id. */
  readonly #added = new Map<number, string>();
  /** The words of the records that may have others in the table. */
  readonly #changed = new Map<number, string>();

  constructor(database: DatabaseSync, collection: string, members: readonly SearchedMember[]) {
    this.#members = members;
    this.#isThere = database.prepare(`SELECT 1 FROM "${collection}" WHERE id = ?`);
    // A statement that might insert several rows, such as one with SELECT, would also begin with a savepoint.
    const into = `INTO "${wordsTable(collection)}" (rowid, words) VALUES (?, ?)`;
    this.#insert = prepareChange(database, `INSERT ${into}`);
    this.#replace = prepareChange(database, `INSERT OR REPLACE ${into}`);
  }

  /** Adds the words of a new record. */
  add(id: number, document: unknown): void {
    this.#added.set(id, this.#wordsOf(document));
  }

  /** Sets the words of a record that may have other words. */
  set(id: number, document: unknown): void {
    this.#set(id, this.#wordsOf(document));
  }

  /** @param before the JSON text of the previous document */
  replace(id: number, before: string, document: unknown): void {
    const words = this.#wordsOf(document);
    if (words !== this.#wordsOf(JSON.parse(before))) this.#set(id, words);
  }

  /** Forgets the words that a failed transaction has left. */
  begin(): void {
    this.#added.clear();
    this.#changed.clear();
  }

  /** @param hasRemovals whether some of the records may have been removed since */
  put(hasRemovals: boolean): void {
    this.#putAll(this.#added, this.#insert, hasRemovals);
    this.#putAll(this.#changed, this.#replace, hasRemovals);
  }

  #putAll(words: Map<number, string>, statement: StatementSync, hasRemovals: boolean): void {
    for (const [id, text] of words) {
      if (!hasRemovals || this.#isThere.get(id) !== undefined) statement.run(id, text);
    }
    words.clear();
  }

  #set(id: number, words: string): void {
    (this.#added.has(id) ? this.#added : this.#changed).set(id, words);
  }

  #wordsOf(document: unknown): string {
    const runs = documentNumbers(document, this.#members).flatMap(runsOf);
    return [...documentWords(document, this.#members), ...runs].join(" ");
  }
}

/**
 * The statements that make an empty table of words, in place of one that is there: only the words, without their positions or the texts.
 * The tokenizer separates them only at the spaces. What a transaction adds is gathered up to 4 MiB before it is written: with the 1 MiB of
 * the default, many records take a fifth more.
 */
export const creationOfWords = (collection: string): string => {
  const table = wordsTable(collection);
  return `DROP TABLE IF EXISTS "${table}";
  CREATE VIRTUAL TABLE "${table}" USING fts5(
    words, content = '', contentless_delete = 1, detail = none, prefix = '${prefixes.join(" ")}', tokenize = 'ascii'
  );
  INSERT INTO "${table}" ("${table}", rank) VALUES ('hashsize', ${2 ** 22});`;
};
