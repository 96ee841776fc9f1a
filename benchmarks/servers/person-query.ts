import { DatabaseSync } from "node:sqlite";

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

/** The id that a path segment spells in canonical form; undefined when it spells none. */
export function parseId(text: string): number | undefined {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : undefined;
}
