import type { CollectionDefinition } from "../../database.ts";
import { orderTerm, type PostgresColumn, selectableColumns } from "./postgres-columns.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { sqlState, sqlStateOf } from "./postgres-fault.ts";
import { uniqueKeyExpression } from "./postgres-json.ts";
import { nameOf, quoteName, quoteText } from "./postgres-names.ts";
import { UnusableDatabase } from "./postgres-open-fault.ts";
import { prepareWords } from "./postgres-words.ts";

/**
 * Makes the table of a collection where it is missing, and sees that it has just the columns that the definition asks for,
 * within the transaction of the connection. What is as it should be is not touched, and takes no lock.
 *
 * @throws UnusableDatabase when the table is another program's, or when records share a value that is to be unique
 */
export async function prepareCollection(
  connection: PostgresConnection,
  definition: CollectionDefinition,
): Promise<void> {
  await makeTable(connection, definition);
  await makeColumns(connection, definition);
  await prepareWords(connection, definition);
}

/** The column by which a member is unique. */
export const uniqueColumnOf = (member: string): string => nameOf("unique", member);

async function makeTable(connection: PostgresConnection, definition: CollectionDefinition): Promise<void> {
  const { name: collection, owner } = definition;
  const table = quoteName(collection);
  const [[isTable, isOurs] = []] = await connection.query({
    text: "SELECT to_regclass($1), (SELECT name FROM waymark_collections WHERE name = $2)",
    values: [table, collection],
  });
  if (isTable !== null && isOurs === null) {
    throw new UnusableDatabase(
      `it has a table ${table} of another program; name another database, or another schema by ?options=-c search_path=…`,
    );
  }
  if (isTable !== null && !(await dropWithOtherOwner(connection, definition))) return;
  const reference = `owner bigint NOT NULL REFERENCES ${quoteName(owner?.collection ?? "")} (id) ON DELETE CASCADE,`;
  const ofOwner = owner === undefined ? "" : "owner, ";
  await connection.query({
    text: `
      CREATE TABLE ${table} (
        id bigint PRIMARY KEY,
        revision bigint NOT NULL,
        created_at bigint NOT NULL, -- milliseconds since the epoch
        updated_at bigint NOT NULL,
        ${owner === undefined ? "" : reference}
        document json NOT NULL,     -- the text that is sent
        exact text,                 -- that text where document cannot have it
        words tsvector,             -- those of the members that have full text
        size integer NOT NULL GENERATED ALWAYS AS (octet_length(document::text)) STORED -- read without the document
      );
      CREATE INDEX ${quoteName(nameOf(collection, "created_at"))} ON ${table} (${ofOwner}created_at, id);
      CREATE INDEX ${quoteName(nameOf(collection, "updated_at"))} ON ${table} (${ofOwner}updated_at, id);
      ${owner === undefined ? "" : `CREATE INDEX ${quoteName(nameOf(collection, "owner"))} ON ${table} (owner, id);`}
      CREATE TRIGGER waymark_removed AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION waymark_removed(${quoteText(collection)});
      INSERT INTO waymark_collections VALUES (${quoteText(collection)}, 0, 0, NULL)
        ON CONFLICT (name) DO UPDATE SET full_text = NULL;
    `,
  });
}

/**
 * Makes room for the table where the one that there is has no owner, or another, than it is to have; whether it did.
 *
 * @throws UnusableDatabase when there are records in it
 */
async function dropWithOtherOwner(
  connection: PostgresConnection,
  { name: collection, owner }: CollectionDefinition,
): Promise<boolean> {
  const table = quoteName(collection);
  const [[present] = []] = await connection.query({
    text: `SELECT relname FROM pg_constraint JOIN pg_class ON pg_class.oid = confrelid
      WHERE conrelid = to_regclass($1) AND contype = 'f'`,
    values: [table],
  });
  if (present === owner?.collection) return false;
  const records = await connection.query({ text: `SELECT 1 FROM ${table} LIMIT 1` });
  if (records.length > 0) {
    const [is, due] = [present, owner?.collection].map((name) => (name === undefined ? "by nobody" : `by ${name}`));
    throw new UnusableDatabase(
      `the records of ${collection} in it are owned ${is}, and are to be owned ${due}; remove them`,
    );
  }
  await connection.query({ text: `DROP TABLE ${table} CASCADE` });
  return true;
}

/** A column that the database derives from the document. */
interface DerivedColumn {
  readonly name: string;
  /** Type and expression; kept as the comment on the column, so that one that was made otherwise is known. */
  readonly definition: string;
  readonly index: (connection: PostgresConnection) => Promise<void>;
}

async function makeColumns(connection: PostgresConnection, definition: CollectionDefinition): Promise<void> {
  const table = quoteName(definition.name);
  const wanted = new Map(derivedColumns(definition).map((column) => [column.name, column]));
  const alterations: string[] = [];
  for (const [name = "", comment] of await derivedColumnsOf(connection, table)) {
    if (wanted.get(name)?.definition === comment) wanted.delete(name);
    else alterations.push(`DROP COLUMN ${quoteName(name)}`);
  }
  const missing = [...wanted.values()];
  alterations.push(...missing.map(({ name, definition: type }) => `ADD COLUMN ${quoteName(name)} ${type}`));
  if (alterations.length === 0) return;
  await connection.query({ text: `ALTER TABLE ${table} ${alterations.join(", ")}` });
  for (const column of missing) {
    const comment = `COMMENT ON COLUMN ${table}.${quoteName(column.name)} IS ${quoteText(column.definition)}`;
    await connection.query({ text: comment });
    await column.index(connection);
  }
}

function derivedColumns(definition: CollectionDefinition): readonly DerivedColumn[] {
  const { name: collection, unique = [] } = definition;
  const selected = [...selectableColumns(definition).values()].flatMap((column) =>
    column.definition === undefined
      ? []
      : [
          {
            name: column.name,
            definition: column.definition,
            index: (connection: PostgresConnection) => makeIndex(connection, definition, column),
          },
        ],
  );
  const uniqueOnes = unique.map((member) => {
    const column = uniqueColumnOf(member);
    return {
      name: column,
      definition: `text COLLATE "C" GENERATED ALWAYS AS (${uniqueKeyExpression(member)}) STORED`,
      index: (connection: PostgresConnection) => makeUnique(connection, collection, column, member),
    };
  });
  return [...selected, ...uniqueOnes];
}

async function derivedColumnsOf(
  connection: PostgresConnection,
  table: string,
): Promise<readonly (readonly [name: string, comment: string | null])[]> {
  return connection.query({
    text: `SELECT attname, col_description(attrelid, attnum) FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attgenerated = 's' AND attname <> 'size' AND NOT attisdropped`,
    values: [table],
  });
}

async function makeIndex(
  connection: PostgresConnection,
  { name: collection, owner }: CollectionDefinition,
  column: PostgresColumn,
): Promise<void> {
  const index = quoteName(nameOf(collection, column.name));
  const ofOwner = owner === undefined ? "" : "owner, ";
  await connection.query({
    text: `CREATE INDEX ${index} ON ${quoteName(collection)} (${ofOwner}${orderTerm(column, false)}, id)`,
  });
}

async function makeUnique(
  connection: PostgresConnection,
  collection: string,
  column: string,
  member: string,
): Promise<void> {
  const constraint = quoteName(nameOf(collection, column));
  try {
    // Judged once a statement is done: two of the records that one statement changes may swap their values.
    await connection.query({
      text: `ALTER TABLE ${quoteName(collection)} ADD CONSTRAINT ${constraint} UNIQUE (${quoteName(column)}) DEFERRABLE`,
    });
  } catch (error) {
    if (sqlStateOf(error) !== sqlState.uniqueViolation) throw error;
    throw new UnusableDatabase(`two records in it have the same ${member}, which is to be unique; change one of them`, {
      cause: error,
    });
  }
}
