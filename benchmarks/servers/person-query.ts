import { DatabaseSync, type StatementSync } from "node:sqlite";

/** The JSON text of the person with this id; undefined when nobody has it. */
export type PersonQuery = (id: number) => string | undefined;

/** Opens the database file that our store has made and prepares the statement by which our store reads one record. */
export function openPersonQuery(file: string): PersonQuery {
  const statement = new DatabaseSync(file).prepare(
    'SELECT id, revision, updated_at, document FROM "person" WHERE id = ?',
  );
  statement.setReturnArrays(true);
  return (id) => {
    // The statement returns arrays of these columns, whose types the table enforces.
    const row = statement.get(id) as unknown as readonly [number, number, number, string] | undefined;
    return row?.[3];
  };
}

/** Opens the database file, and returns what makes the JSON array of all people: as most would, of all rows at once. */
export function openPersonList(file: string): () => string {
  const statement = new DatabaseSync(file).prepare('SELECT document FROM "person" ORDER BY id');
  // The column is text, as the table enforces.
  return () => `[${statement.all().map(({ document }) => document as string)}]`;
}

/** Opens the database file, and returns what makes the JSON array of the first people by id. */
export function openPersonPage(file: string): (limit: number) => string {
  const statement = new DatabaseSync(file).prepare('SELECT document FROM "person" ORDER BY id LIMIT ?');
  statement.setReturnArrays(true);
  // Rows are arrays of the one column, which is text as the table enforces.
  return (limit) => `[${(statement.all(limit) as unknown as readonly (readonly [string])[]).join()}]`;
}

/**
 * Returns what adds a person, and gives the id: each by a commit of its own, which is on disk when the function returns. The
 * people are in a table without indexes beside that of our store, which is made with the first of them.
 */
export function openPersonInsert(file: string): (document: object) => number {
  let statement: StatementSync | undefined;
  const prepare = (): StatementSync => {
    const database = new DatabaseSync(file);
    database.exec(
      "PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS added (id INTEGER PRIMARY KEY, document TEXT NOT NULL) STRICT",
    );
    return database.prepare("INSERT INTO added (document) VALUES (?)");
  };
  return (document) => {
    statement ??= prepare();
    return Number(statement.run(JSON.stringify(document)).lastInsertRowid);
  };
}

/** Returns the number of people that a query asks for by `limit=`, from 1 to 1000; undefined when it does not. */
export function parseLimit(text: string | undefined): number | undefined {
  const limit = /^[1-9][0-9]{0,3}$/.test(text ?? "") ? Number(text) : undefined;
  return limit !== undefined && limit <= 1000 ? limit : undefined;
}

/** Returns whether the value can be stored as a person: these servers check no more. */
export const isPerson = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The id that a path segment spells in canonical form; undefined when it spells none. */
export function parseId(text: string): number | undefined {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : undefined;
}
