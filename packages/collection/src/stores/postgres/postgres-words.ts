import type { CollectionDefinition } from "../../database.ts";
import { documentWords } from "../document-words.ts";
import { wordsVersion } from "../words.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { nameOf, quoteName, toArrayText } from "./postgres-names.ts";

/**
 * The words of a record for its column `words`, with spaces between; null in a collection without full text.
 *
 * @param json the JSON text of the record
 */
export function wordsOf(json: string, members: readonly string[]): string | null {
  if (members.length === 0) return null;
  const words: string[] = [];
  let size = 0;
  for (const word of documentWords(json, members)) {
    size += Buffer.byteLength(word);
    if (size > mostBytes) break;
    words.push(word);
  }
  return words.join(" ");
}

/** The server refuses a record with a mebibyte of different words. */
const mostBytes = 1_000_000;

/** The expression for the column's value: words from a parameter of text. */
export const toWordsColumn = (text: string): string => `array_to_tsvector(string_to_array(${text}, ' '))`;

/** What asks for each of the words, the last as a beginning. They are letters and digits alone. */
export const wordsQuery = (words: readonly string[]): string => `${words.map((word) => `'${word}'`).join(" & ")}:*`;

/** Sees that the records have the words of these members as they are made today, with an index on them, or none. */
export async function prepareWords(
  connection: PostgresConnection,
  { name: collection, fullText = [] }: CollectionDefinition,
): Promise<void> {
  const wanted = fullText.length === 0 ? null : JSON.stringify([wordsVersion, ...fullText]);
  const [[present] = []] = await connection.query({
    text: "SELECT full_text FROM waymark_collections WHERE name = $1",
    values: [collection],
  });
  if (present === wanted) return; // a standby takes no UPDATE, not even one that changes nothing
  await connection.query({
    text: "UPDATE waymark_collections SET full_text = $2 WHERE name = $1",
    values: [collection, wanted],
  });
  const table = quoteName(collection);
  const index = quoteName(nameOf(collection, "words"));
  await connection.query({ text: `DROP INDEX IF EXISTS ${index}` });
  if (wanted === null) return;
  for (let after = "0"; ; ) {
    const rows = await connection.query<readonly [id: string, document: string, exact: string | null]>({
      text: `SELECT id, document, exact FROM ${table} WHERE id > $1 ORDER BY id LIMIT 200`,
      values: [after],
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    const words = rows.map(([, document, exact]) => wordsOf(exact ?? document, fullText));
    await connection.query({
      text: `UPDATE ${table} AS stored SET words = ${toWordsColumn("made.words")}
        FROM unnest($1::bigint[], $2::text[]) AS made (id, words) WHERE stored.id = made.id`,
      values: [toArrayText(rows.map(([id]) => id)), toArrayText(words)],
    });
    after = last[0];
  }
  await connection.query({ text: `CREATE INDEX ${index} ON ${table} USING gin (words)` });
}
