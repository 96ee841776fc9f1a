import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "../../database.ts";
import { documentWords } from "../words.ts";
import { readRowidsAsBigInt } from "./statements.ts";

/** The table with the words of a collection's records, by their ids. */
export const wordsTable = (collection: string): string => `waymark_words_${collection}`;

/**
 * How long the beginnings of words are, in characters, by which they are looked up at once. Those of a longer one have to be
 * gathered first: 120 ms for 300,000 records that all have a word with it.
 */
const prefixes = [1, 2, 3, 4, 5, 6];

/** Whether the records that have these words can be looked up one by one. */
export const isIndexed = (words: readonly string[]): boolean =>
  Array.from(words.at(-1) ?? "").length <= prefixes.length;

/** What finds the records that have all of the words, the last of which may be the beginning of one. */
export const matching = (words: readonly string[]): string => `${words.map((word) => `"${word}"`).join(" ")}*`;

/**
 * The words of the records of a collection that has full text, put into their table at the end of a transaction: within
 * its savepoints each would be written by itself, at five times the cost. A trigger removes those of a record that is removed.
 */
export class SqliteWords {
  readonly #members: readonly string[];
  readonly #isThere: StatementSync;
  readonly #put: StatementSync;
  /** By the ids of the records. */
  readonly #changed = new Map<number, string>();

  constructor(database: DatabaseSync, collection: string, members: readonly string[]) {
    this.#members = members;
    this.#isThere = database.prepare(`SELECT 1 FROM "${collection}" WHERE id = ?`);
    // A statement that might insert several rows, as one with SELECT, would begin with a savepoint too.
    this.#put = database.prepare(`INSERT OR REPLACE INTO "${wordsTable(collection)}" (rowid, words) VALUES (?, ?)`);
    readRowidsAsBigInt(this.#put);
  }

  add(id: number, document: unknown): void {
    this.#changed.set(id, this.#wordsOf(document));
  }

  /** @param before the JSON text of the document before */
  replace(id: number, before: string, document: unknown): void {
    const words = this.#wordsOf(document);
    if (words !== this.#wordsOf(JSON.parse(before))) this.#changed.set(id, words);
  }

  /** Forgets what a transaction has left that failed. */
  begin(): void {
    this.#changed.clear();
  }

  put(): void {
    for (const [id, words] of this.#changed) {
      // A record that was created may have been removed by the same transaction.
      if (this.#isThere.get(id) !== undefined) this.#put.run(id, words);
    }
    this.#changed.clear();
  }

  #wordsOf(document: unknown): string {
    return documentWords(document, this.#members).join(" ");
  }
}

/** Makes the table of words anew from the records that there are; no table where the collection has no full text. */
export function makeWords(database: DatabaseSync, { name: collection, fullText = [] }: CollectionDefinition): void {
  database.exec(`DROP TABLE IF EXISTS "${wordsTable(collection)}"`);
  if (fullText.length === 0) return;
  // The words alone, without their places or the texts. The tokenizer takes all but the spaces for parts of words.
  database.exec(`CREATE VIRTUAL TABLE "${wordsTable(collection)}" USING fts5(
    words, content = '', contentless_delete = 1, detail = none, prefix = '${prefixes.join(" ")}', tokenize = 'ascii'
  )`);
  const words = new SqliteWords(database, collection, fullText);
  const records = database.prepare(`SELECT id, document FROM "${collection}" ORDER BY id`);
  for (const { id, document } of records.iterate()) {
    words.add(Number(id), JSON.parse(String(document)));
    words.put();
  }
}
