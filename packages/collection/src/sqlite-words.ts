import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { CollectionDefinition } from "./database.ts";
import { documentWords } from "./document-words.ts";
import { tellAnyRowid } from "./told-rowid.ts";
import { wordsVersion } from "./words.ts";

/** The table with the words of a collection's records, by their ids. */
export const wordsTable = (collection: string): string => `waymark_words_${collection}`;

/** What finds the records that have all of the words, the last of which may be the beginning of one. */
export const matching = (words: readonly string[]): string => `${words.map((word) => `"${word}"`).join(" ")}*`;

/** The words of the records of a collection that has full text. A trigger removes those of a record that is removed. */
export class SqliteWords {
  readonly #members: readonly string[];
  readonly #put: StatementSync;

  constructor(database: DatabaseSync, collection: string, members: readonly string[]) {
    this.#members = members;
    this.#put = database.prepare(`INSERT OR REPLACE INTO "${wordsTable(collection)}" (rowid, words) VALUES (?, ?)`);
    tellAnyRowid(this.#put);
  }

  add(id: number, json: string): void {
    this.#put.run(id, this.#wordsOf(json));
  }

  replace(id: number, before: string, after: string): void {
    const words = this.#wordsOf(after);
    if (words !== this.#wordsOf(before)) this.#put.run(id, words);
  }

  #wordsOf(json: string): string {
    return documentWords(json, this.#members).join(" ");
  }
}

/** Sees that the table has the words of these members as they are made today, or that there is none. */
export function prepareWords(database: DatabaseSync, { name: collection, fullText = [] }: CollectionDefinition): void {
  const wanted = fullText.length === 0 ? null : JSON.stringify([wordsVersion, ...fullText]);
  const row = database.prepare("SELECT full_text FROM waymark_collections WHERE name = ?").get(collection);
  if (row?.["full_text"] === wanted) return;
  database.prepare("UPDATE waymark_collections SET full_text = ? WHERE name = ?").run(wanted, collection);
  database.exec(`DROP TABLE IF EXISTS "${wordsTable(collection)}"`);
  if (wanted === null) return;
  // The words alone, without their places or the texts. The tokenizer takes all but the spaces for parts of words.
  database.exec(`CREATE VIRTUAL TABLE "${wordsTable(collection)}" USING fts5(
    words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3', tokenize = 'ascii'
  )`);
  const words = new SqliteWords(database, collection, fullText);
  const records = database.prepare(`SELECT id, document FROM "${collection}" ORDER BY id`);
  for (const { id, document } of records.iterate()) words.add(Number(id), String(document));
}
