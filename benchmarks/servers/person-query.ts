import { DatabaseSync, type StatementSync } from "node:sqlite";

// What the servers beside ours do on the database file that our store has made, by hand-written SQL on its tables and indexes.

/** The JSON text of the person with this id; undefined when nobody has it. */
export type PersonQuery = (id: number) => string | undefined;

/** Opens the database file and prepares the statement by which our store reads one record. */
export function openPersonQuery(file: string): PersonQuery {
  const statement = open(file, 'SELECT id, revision, updated_at, document FROM "person" WHERE id = ?');
  return (id) => {
    // The statement returns arrays of these columns, whose types the table enforces.
    const row = statement.get(id) as unknown as readonly [number, number, number, string] | undefined;
    return row?.[3];
  };
}

/** Opens the database file, and returns what makes the JSON array of all people: as most would, of all rows at once. */
export function openPersonList(file: string): () => string {
  const statement = open(file, 'SELECT document FROM "person" ORDER BY id');
  return () => toArray(statement.all());
}

/** Opens the database file, and returns what makes the page that a query string asks for; undefined when it asks for no page. */
export function openPersonPage(file: string): (query: string) => string | undefined {
  const statements = new Map<string, StatementSync>();
  return (query) => {
    const { limit, ...asked } = Object.fromEntries(new URLSearchParams(query));
    const found = selections[Object.keys(asked).join(" ")];
    const most = /^[1-9][0-9]{0,2}$/.test(limit ?? "") ? Number(limit) : undefined;
    if (found === undefined || most === undefined) return undefined;
    let statement = statements.get(found);
    if (statement === undefined) {
      statement = open(file, `SELECT document FROM "person" ${found} LIMIT ?`);
      statements.set(found, statement);
    }
    const { sort: _, ...values } = asked;
    return toArray(statement.all(...Object.entries(values).map(toValue), most));
  };
}

/** By the names of the parameters beside `limit`. */
const selections: Readonly<Record<string, string>> = {
  "": "ORDER BY id",
  "id[gt]": "WHERE id > ? ORDER BY id",
  "sort familyName[ge]": 'WHERE "text1 familyName" >= ? ORDER BY "text1 familyName", id',
  birthDate: 'WHERE "date birthDate" = ? ORDER BY id',
  "birthDate sort": 'WHERE "date birthDate" = ? ORDER BY "text1 familyName", id',
  q: 'WHERE id IN (SELECT rowid FROM "waymark_words_person" WHERE "waymark_words_person" MATCH ?) ORDER BY id',
};

/** Names are stored folded beside the document: those of the made-up people in small letters. */
const toValue = ([name, text]: readonly [string, string]): string | number =>
  name === "id[gt]" ? Number(text) : name === "q" ? `${text.toLowerCase()}*` : text.toLowerCase();

/** Rows are arrays of the one column, which is text as the table enforces. */
const toArray = (rows: readonly unknown[]): string => `[${(rows as readonly (readonly [string])[]).join()}]`;

function open(file: string, text: string): StatementSync {
  const statement = new DatabaseSync(file).prepare(text);
  statement.setReturnArrays(true);
  return statement;
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

/** Returns whether the value can be stored as a person: these servers check no more. */
export const isPerson = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The id that a path segment spells in canonical form; undefined when it spells none. */
export function parseId(text: string): number | undefined {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : undefined;
}
