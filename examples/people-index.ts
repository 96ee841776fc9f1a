// Keeps a search index of the people of a running service, in an SQLite file of its own:
//
//   npm run example examples/people-index.ts http://localhost:8080/person index.db maria cant
//
// It follows the changes of the service. A page of changes and the place behind it are stored in one transaction, so that
// the index has each change once, whenever the program is killed.
import { DatabaseSync } from "node:sqlite";

/** An index of people that is kept beside a service. */
export class PeopleIndex implements Disposable {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(`
      CREATE TABLE IF NOT EXISTS place (url TEXT PRIMARY KEY, next TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, document TEXT NOT NULL);
      CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (name, description, content = '', contentless_delete = 1);
    `);
  }

  /** Takes what has changed at the URL of the people, until there is nothing more. Returns how many changes there were. */
  async catchUp(url: string): Promise<number> {
    for (let count = 0; ; ) {
      const stored = this.#database.prepare("SELECT next FROM place WHERE url = ?").get(url);
      const response = await fetch(String(stored?.["next"] ?? `${url}/changes`));
      if (response.status === 410) {
        this.#inTransaction(() => this.#database.exec("DELETE FROM place; DELETE FROM person; DELETE FROM words"));
        continue; // from the beginning
      }
      if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
      const changes = (await response.json()) as readonly Change[]; // as the service promises
      const next = /<([^>]*)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1] ?? "";
      this.#inTransaction(() => {
        for (const change of changes) this.#apply(change);
        this.#database.prepare("INSERT OR REPLACE INTO place VALUES (?, ?)").run(url, new URL(next, response.url).href);
      });
      if (changes.length === 0) return count;
      count += changes.length;
    }
  }

  /** Returns the people who have all of the words; each may be the beginning of one. */
  search(words: readonly string[]): readonly Person[] {
    const query = words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(" ");
    return this.#database
      .prepare("SELECT document FROM words JOIN person ON person.id = words.rowid WHERE words MATCH ? ORDER BY rank")
      .all(query)
      .map(({ document }) => JSON.parse(String(document)));
  }

  /** All people, by id. */
  get people(): readonly Person[] {
    const rows = this.#database.prepare("SELECT document FROM person ORDER BY id").all();
    return rows.map(({ document }) => JSON.parse(String(document)));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #apply(change: Change): void {
    for (const table of ["person WHERE id", "words WHERE rowid"]) {
      this.#database.prepare(`DELETE FROM ${table} = ?`).run(change.id);
    }
    if ("removed" in change) return;
    const { id, name, description = "" } = change;
    this.#database.prepare("INSERT INTO person VALUES (?, ?)").run(id, JSON.stringify(change));
    this.#database.prepare("INSERT INTO words (rowid, name, description) VALUES (?, ?, ?)").run(id, name, description);
  }

  #inTransaction(work: () => void): void {
    this.#database.exec("BEGIN");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** What the index uses of a person. */
interface Person {
  readonly id: number;
  readonly name: string;
  readonly description?: string;
}

type Change = Person | { readonly id: number; readonly removed: true };

if (import.meta.main) {
  const [url = "http://localhost:8080/person", file = "index.db", ...words] = process.argv.slice(2);
  using index = new PeopleIndex(file);
  process.stderr.write(`${await index.catchUp(url)} changes\n`);
  const found = words.length > 0 ? index.search(words) : index.people;
  for (const { id, name } of found) process.stdout.write(`${id} ${name}\n`);
}
